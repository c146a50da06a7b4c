//! The stacks that kernels run on, pooled for the process.
//!
//! A stack is two mappings of the process, the stack and its guard page, of which Linux grants 65,530 by default. So
//! there is a [`LIMIT`] for all launches of the process together, and a launch waits until it may use as many as it
//! needs at least. The size of a stack is that of its kernel's frames, [`Facts::stack_bytes`], rounded up to a class, so
//! that kernels share stacks. Address space costs nothing: pages are allocated when they are touched, and a pooled stack
//! gives back all but the few that a common kernel touches.
//!
//! [`Facts::stack_bytes`]: cumbia_kernel_ir::Facts

use std::io;

use corosensei::stack::{DefaultStack, Stack};

use crate::sync::{Condvar, Mutex, MutexGuard};

/// How many threads may be coroutines at one time: half of what Linux grants, since the process has other uses for it.
pub(crate) const LIMIT: usize = 16 * 1024;

/// The address space of the smallest stack.
const SMALLEST: usize = 1024 * 1024;

/// What the host's functions may need besides the frames of a kernel: formatting a message, unwinding, printing.
const OF_THE_HOST: u64 = 512 * 1024;

/// The largest stack of a kernel's thread: an array of 16 MiB in a variable fits. A thread of a GPU has 512 KiB (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability").
pub(crate) const LARGEST: u64 = 1024 * 1024 * 1024;

/// What a kernel may need for the launch to run it on the stack of the thread that launches, of which nothing is known.
const ON_ANY_THREAD: u64 = 32 * 1024;

/// The memory that a pooled stack keeps, at its base: more than optimised kernels without arrays touch.
const KEPT_BYTES: usize = 16 * 1024;

/// How many pooled stacks keep memory. The others keep none.
const KEPT: usize = 8 * 1024;

static POOL: Mutex<Pool> = Mutex::new(Pool { permitted: 0, existing: 0, free: Vec::new() });
static GIVEN_BACK: Condvar = Condvar::new();

/// The size of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(usize);

impl Size {
    /// The size for a kernel whose frames take so many bytes, at most [`LARGEST`].
    pub(crate) fn of(kernel_bytes: u64) -> Size {
        let bytes = (kernel_bytes.min(LARGEST) + OF_THE_HOST) as usize;
        Size(bytes.next_power_of_two().max(SMALLEST))
    }

    /// In bytes.
    pub(crate) fn bytes(self) -> usize {
        self.0
    }
}

/// Whether a kernel whose frames take so many bytes may run on the stack of whatever thread launches it.
pub(crate) fn fits_on_any_thread(kernel_bytes: u64) -> bool {
    kernel_bytes <= ON_ANY_THREAD
}

struct Pool {
    /// How many stacks launches may use now.
    permitted: usize,
    /// How many stacks of coroutines there are, free or not: never more than [`LIMIT`].
    existing: usize,
    /// Stacks of threads that ended, of each size. The last ones were used last.
    free: Vec<(Size, Vec<DefaultStack>)>,
}

impl Pool {
    /// The free stacks of a size.
    fn free(&mut self, size: Size) -> &mut Vec<DefaultStack> {
        let position = self.free.iter().position(|(of, _)| *of == size).unwrap_or_else(|| {
            self.free.push((size, Vec::new()));
            self.free.len() - 1
        });
        &mut self.free[position].1
    }

    /// How many stacks are free, of all sizes.
    fn free_count(&self) -> usize {
        self.free.iter().map(|(_, stacks)| stacks.len()).sum()
    }

    /// Takes up to `count` free stacks of a size.
    fn take(&mut self, size: Size, count: usize, into: &mut Vec<DefaultStack>) {
        let free = self.free(size);
        let rest = free.len().saturating_sub(count);
        into.extend(free.drain(rest..));
    }

    /// Makes room for `count` stacks more, and returns the free ones that have to go for it.
    fn make_room(&mut self, count: usize) -> Vec<DefaultStack> {
        let mut surplus = (self.existing + count).saturating_sub(LIMIT);
        let mut gone = Vec::new();
        for (_, free) in &mut self.free {
            let some = free.len().min(surplus);
            gone.extend(free.drain(..some));
            surplus -= some;
        }
        self.existing = self.existing + count - gone.len();
        gone
    }
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock()
}

/// The right to use some stacks at a time, for a whole launch. It ends when it is dropped.
pub(crate) struct Permit(usize);

impl Permit {
    /// A permit for `count` stacks, at most [`LIMIT`]; waits for launches that use too many.
    pub(crate) fn wait_for(count: usize) -> Permit {
        debug_assert!(count <= LIMIT, "a launch asks for no more than there can be");
        let mut pool = pool();
        while pool.permitted + count > LIMIT {
            pool = GIVEN_BACK.wait(pool);
        }
        pool.permitted += count;
        Permit(count)
    }

    /// A permit for `count` stacks, if so many may be used now.
    fn now(count: usize) -> Option<Permit> {
        let mut pool = pool();
        if pool.permitted + count > LIMIT {
            return None;
        }
        pool.permitted += count;
        Some(Permit(count))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        pool().permitted -= self.0;
        GIVEN_BACK.notify_all();
    }
}

/// The stacks that one worker has at hand. They go back to all when it is dropped.
pub(crate) struct Stacks {
    size: Size,
    at_hand: Vec<DefaultStack>,
    /// For those at hand and those in use, unless the launch has a permit.
    permits: Option<Vec<Permit>>,
}

impl Stacks {
    /// No stacks yet. Those of a launch with a permit need no other.
    pub(crate) fn new(size: Size, permitted: bool) -> Stacks {
        Stacks { size, at_hand: Vec::new(), permits: (!permitted).then(Vec::new) }
    }

    /// Sees that `count` stacks are at hand, and says whether they are: there may be none to be had now, unless the
    /// worker waits for them. It must not wait while it uses others.
    pub(crate) fn prepare(&mut self, count: usize, wait: bool) -> io::Result<bool> {
        let missing = count.saturating_sub(self.at_hand.len());
        if missing == 0 {
            return Ok(true);
        }
        if let Some(permits) = &mut self.permits {
            match if wait { Some(Permit::wait_for(missing)) } else { Permit::now(missing) } {
                Some(permit) => permits.push(permit),
                None => return Ok(false),
            }
        }
        let mut pool = pool();
        pool.take(self.size, missing, &mut self.at_hand);
        let new = count.saturating_sub(self.at_hand.len());
        let surplus = pool.make_room(new);
        drop(pool);
        drop(surplus);
        for made in 0..new {
            match DefaultStack::new(self.size.bytes()) {
                Ok(stack) => self.at_hand.push(stack),
                Err(error) => {
                    self::pool().existing -= new - made;
                    return Err(error);
                }
            }
        }
        Ok(true)
    }

    /// One of them, if there is one.
    pub(crate) fn take(&mut self) -> Option<DefaultStack> {
        self.at_hand.pop()
    }

    /// The stack of a thread that ended.
    pub(crate) fn put(&mut self, stack: DefaultStack) {
        self.at_hand.push(stack);
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        let Stacks { size, at_hand, permits: _ } = self;
        let room = KEPT.saturating_sub(pool().free_count());
        let (kept, others) = at_hand.split_at(at_hand.len().min(room));
        if is_deep(*size, kept) {
            for stack in kept {
                memory::give_back(stack, KEPT_BYTES);
            }
        }
        for stack in others {
            memory::give_back(stack, 0);
        }
        // Before the permits go: whoever gets them next finds the stacks.
        pool().free(*size).append(at_hand);
    }
}

/// Whether the threads of a launch used much of their stacks. They run the same kernel, so that a few tell of all.
fn is_deep(size: Size, stacks: &[DefaultStack]) -> bool {
    let some = [stacks.first(), stacks.get(stacks.len() / 2), stacks.last()];
    size.bytes() > SMALLEST || some.into_iter().flatten().any(|stack| memory::is_used_below(stack, KEPT_BYTES))
}

/// A stack for a worker that runs the threads of blocks one after the other. It needs no permit: there are no more of
/// them than threads that launch or help.
pub(crate) struct OwnStack {
    size: Size,
    stack: Option<DefaultStack>,
}

impl OwnStack {
    /// A stack of the size.
    pub(crate) fn new(size: Size) -> io::Result<OwnStack> {
        let pooled = {
            let mut pool = pool();
            let pooled = pool.free(size).pop();
            pool.existing -= usize::from(pooled.is_some());
            pooled
        };
        let stack = match pooled {
            Some(stack) => stack,
            None => DefaultStack::new(size.bytes())?,
        };
        Ok(OwnStack { size, stack: Some(stack) })
    }

    /// Runs a function on it, which gets the address of its guard page. A panic passes through.
    pub(crate) fn run<R>(&mut self, function: impl FnOnce(usize) -> R) -> R {
        let stack = self.stack.as_mut().expect("it goes when this is dropped");
        let guard = guard_of(stack);
        corosensei::on_stack(stack, || function(guard))
    }
}

impl Drop for OwnStack {
    fn drop(&mut self) {
        let Some(stack) = self.stack.take() else { return };
        // A smallest one keeps its memory: there are no more of them than threads that launch or help, and to look at the
        // pages would cost more than a launch.
        if self.size.bytes() > SMALLEST {
            memory::give_back(&stack, KEPT_BYTES);
        }
        let mut pool = pool();
        // Otherwise it is unmapped.
        if pool.existing < LIMIT {
            pool.existing += 1;
            pool.free(self.size).push(stack);
        }
    }
}

/// The pages of stacks.
#[cfg(target_os = "linux")]
pub(crate) mod memory {
    use corosensei::stack::{DefaultStack, Stack};

    /// The size of a page.
    pub(crate) fn page() -> usize {
        // SAFETY: it has no preconditions.
        unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
    }

    /// The pages of a stack between its guard page and the `kept` bytes at its base.
    fn below(stack: &DefaultStack, kept: usize) -> (*mut libc::c_void, usize) {
        let (start, end) = (stack.limit().get() + page(), stack.base().get() - kept);
        (std::ptr::with_exposed_provenance_mut(start), end - start)
    }

    /// Gives the memory of a stack that nobody runs on back, but that of `kept` bytes at its base.
    pub(crate) fn give_back(stack: &DefaultStack, kept: usize) {
        let (start, bytes) = below(stack, kept);
        // SAFETY: the pages are the stack's, which nobody runs on, and hold nothing: they read as zero from now on. Where
        // it is refused, the memory stays.
        unsafe { libc::madvise(start, bytes, libc::MADV_DONTNEED) };
    }

    /// Whether memory of a stack is in use, but for `kept` bytes at its base.
    pub(crate) fn is_used_below(stack: &DefaultStack, kept: usize) -> bool {
        let (start, bytes) = below(stack, kept);
        let mut pages = vec![0; bytes.div_ceil(page())];
        // SAFETY: the pages are mapped, and there is a byte for each of them.
        let result = unsafe { libc::mincore(start, bytes, pages.as_mut_ptr()) };
        result == 0 && pages.iter().any(|page| page & 1 == 1)
    }
}

/// Where pages cannot be given back, a stack keeps what it has.
#[cfg(not(target_os = "linux"))]
mod memory {
    use corosensei::stack::DefaultStack;

    pub(crate) fn give_back(_stack: &DefaultStack, _kept: usize) {}

    pub(crate) fn is_used_below(_stack: &DefaultStack, _kept: usize) -> bool {
        false
    }
}

/// The lowest address of a stack, where its guard page begins.
pub(crate) fn guard_of(stack: &DefaultStack) -> usize {
    stack.limit().get()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size(SMALLEST);

    #[test]
    fn stacks_are_used_again() {
        let mut stacks = Stacks::new(SIZE, false);
        assert!(stacks.prepare(3, true).unwrap());
        let taken: Vec<_> = std::iter::from_fn(|| stacks.take()).collect();
        assert_eq!(taken.len(), 3);
        for stack in taken {
            stacks.put(stack);
        }
        assert!(stacks.prepare(2, true).unwrap());
        assert_eq!(std::iter::from_fn(|| stacks.take()).count(), 3);
    }

    #[test]
    fn a_permit_is_waited_for() {
        let all = Permit::wait_for(LIMIT);
        assert!(!Stacks::new(SIZE, false).prepare(1, false).unwrap());
        assert!(Stacks::new(SIZE, true).prepare(1, false).unwrap());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| Stacks::new(SIZE, false).prepare(1, true).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(5));
            drop(all);
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn a_size_has_room_for_the_kernel_and_for_the_host() {
        assert_eq!(Size::of(0).bytes(), SMALLEST);
        for kernel in [0, 1, 400 << 10, 512 << 10, (512 << 10) + 1, 3 << 20, 100 << 20, LARGEST] {
            assert!(Size::of(kernel).bytes() as u64 >= kernel + OF_THE_HOST, "{kernel}");
            assert!(Size::of(kernel).bytes() as u64 <= 2 * (kernel + OF_THE_HOST).max(SMALLEST as u64), "{kernel}");
        }
        assert_eq!(Size::of(u64::MAX), Size::of(LARGEST));
    }

    /// Touches so many bytes of the stack that it runs on.
    #[cfg(target_os = "linux")]
    fn touch(bytes: usize) {
        if bytes > 0 {
            std::hint::black_box([1u8; 4096]);
            touch(bytes.saturating_sub(4096));
            std::hint::black_box(bytes); // no tail call
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pooled_stack_gives_its_memory_back() {
        for kernel in [0, 4 << 20] {
            let size = Size::of(kernel);
            let mut own = OwnStack::new(size).unwrap();
            own.run(|_| touch(size.bytes() / 4));
            let stack = own.stack.take().unwrap();
            assert!(memory::is_used_below(&stack, KEPT_BYTES));
            let mut stacks = Stacks::new(size, true);
            pool().existing += 1;
            stacks.put(stack);
            assert!(is_deep(size, &stacks.at_hand));
            drop(stacks);
            let mut pool = pool();
            let free = pool.free(size);
            assert!(!free.is_empty() && free.iter().all(|stack| !memory::is_used_below(stack, KEPT_BYTES)));
        }
    }
}
