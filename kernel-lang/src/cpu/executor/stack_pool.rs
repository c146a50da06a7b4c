//! The process-wide pool of stacks that kernels run on.
//!
//! A stack consists of two mappings, the stack and its guard page, and Linux allows a process 65,530 mappings by
//! default. So [`LIMIT`] bounds the stacks of all running grids together, and a grid waits until it may use at least as
//! many as it needs. The size of a stack is that of its kernel's frames, which the compiler estimates, rounded up to a size
//! class, so that kernels share stacks. Address space is free: pages are allocated when they are first accessed, and a
//! pooled stack releases all but the few that a typical kernel uses.

use std::io;

use corosensei::stack::{DefaultStack, Stack};

use crate::sync::{Condvar, Mutex, MutexGuard};

/// The maximum number of coroutines at a time: half of the mappings that Linux allows, since the process has other uses
/// for them.
pub(super) const LIMIT: usize = 16 * 1024;

/// The size of the smallest stack in bytes of address space.
const MIN_BYTES: usize = 1024 * 1024;

/// The stack that host functions may need beyond a kernel's frames, in bytes: formatting a message, unwinding,
/// printing.
const HOST_HEADROOM: u64 = 512 * 1024;

/// The maximum size of a thread's frames in bytes: a local array of 16 MiB fits. A GPU thread has 512 KiB (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability").
pub(super) const MAX_FRAME_BYTES: u64 = 1024 * 1024 * 1024;

/// The maximum size of the frames, in bytes, of a kernel that runs on the calling thread's stack, whose size is
/// unknown.
const MAX_ON_CALLER_STACK: u64 = 32 * 1024;

/// The memory that a pooled stack keeps at its base, in bytes: more than optimised kernels without local arrays use.
const KEPT_BYTES: usize = 16 * 1024;

/// The number of pooled stacks that keep memory. The others keep none.
const MAX_STACKS_WITH_MEMORY: usize = 8 * 1024;

static POOL: Mutex<Pool> = Mutex::new(Pool { permitted: 0, existing: 0, free: Vec::new() });
static PERMIT_RELEASED: Condvar = Condvar::new();

/// The size class of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StackSize(usize);

impl StackSize {
    /// Returns the size for a kernel with frames of `frame_bytes` bytes, at most [`MAX_FRAME_BYTES`].
    pub(super) fn of(frame_bytes: u64) -> StackSize {
        let bytes = (frame_bytes.min(MAX_FRAME_BYTES) + HOST_HEADROOM) as usize;
        StackSize(bytes.next_power_of_two().max(MIN_BYTES))
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(self) -> usize {
        self.0
    }
}

/// Returns whether a kernel with frames of `frame_bytes` bytes may run on the stack of any calling thread.
pub(super) fn fits_on_caller_stack(frame_bytes: u64) -> bool {
    frame_bytes <= MAX_ON_CALLER_STACK
}

struct Pool {
    /// The number of stacks that running grids may use now.
    permitted: usize,
    /// The number of coroutine stacks that exist, free or in use, at most [`LIMIT`].
    existing: usize,
    /// The free stacks of each size class, the most recently used last.
    free: Vec<(StackSize, Vec<DefaultStack>)>,
}

impl Pool {
    /// Returns the free stacks of a size.
    fn free(&mut self, size: StackSize) -> &mut Vec<DefaultStack> {
        let position = self.free.iter().position(|(of, _)| *of == size).unwrap_or_else(|| {
            self.free.push((size, Vec::new()));
            self.free.len() - 1
        });
        &mut self.free[position].1
    }

    /// Returns the number of free stacks of all sizes.
    fn free_count(&self) -> usize {
        self.free.iter().map(|(_, stacks)| stacks.len()).sum()
    }

    /// Moves up to `count` free stacks of a size to `into`.
    fn take(&mut self, size: StackSize, count: usize, into: &mut Vec<DefaultStack>) {
        let free = self.free(size);
        let rest = free.len().saturating_sub(count);
        into.extend(free.drain(rest..));
    }

    /// Makes room for `count` new stacks, and returns the free stacks that must be unmapped for it.
    fn make_room(&mut self, count: usize) -> Vec<DefaultStack> {
        let mut surplus = (self.existing + count).saturating_sub(LIMIT);
        let mut evicted = Vec::new();
        for (_, free) in &mut self.free {
            let some = free.len().min(surplus);
            evicted.extend(free.drain(..some));
            surplus -= some;
        }
        self.existing = self.existing + count - evicted.len();
        evicted
    }
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock()
}

/// The right to use a number of stacks at a time. Released when it is dropped.
pub(super) struct Permit(usize);

impl Permit {
    /// Acquires a permit for `count` stacks, at most [`LIMIT`]; blocks while running grids hold too many.
    pub(super) fn acquire(count: usize) -> Permit {
        debug_assert!(count <= LIMIT, "the number of stacks was validated against the limit");
        let mut pool = pool();
        while pool.permitted + count > LIMIT {
            pool = PERMIT_RELEASED.wait(pool);
        }
        pool.permitted += count;
        Permit(count)
    }

    /// Acquires a permit for `count` stacks, if so many may be used now.
    fn try_acquire(count: usize) -> Option<Permit> {
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
        PERMIT_RELEASED.notify_all();
    }
}

/// The stacks that a worker has reserved. They return to the pool when it is dropped.
pub(super) struct WorkerStacks {
    size: StackSize,
    available: Vec<DefaultStack>,
    /// Permits for the available stacks and those in use, unless the grid has one for all.
    permits: Option<Vec<Permit>>,
}

impl WorkerStacks {
    /// Creates an empty reserve. If the grid is `permitted`, its workers need no permits of their own.
    pub(super) fn new(size: StackSize, permitted: bool) -> WorkerStacks {
        WorkerStacks { size, available: Vec::new(), permits: (!permitted).then(Vec::new) }
    }

    /// Makes `count` stacks available. Returns false if they are not permitted now, which cannot happen if the worker
    /// `wait`s for them. It must not wait while it uses others.
    pub(super) fn reserve(&mut self, count: usize, wait: bool) -> io::Result<bool> {
        let missing = count.saturating_sub(self.available.len());
        if missing == 0 {
            return Ok(true);
        }
        if let Some(permits) = &mut self.permits {
            match if wait { Some(Permit::acquire(missing)) } else { Permit::try_acquire(missing) } {
                Some(permit) => permits.push(permit),
                None => return Ok(false),
            }
        }
        let mut pool = pool();
        pool.take(self.size, missing, &mut self.available);
        let new = count.saturating_sub(self.available.len());
        let surplus = pool.make_room(new);
        drop(pool);
        drop(surplus);
        for allocated in 0..new {
            match DefaultStack::new(self.size.bytes()) {
                Ok(stack) => self.available.push(stack),
                Err(error) => {
                    self::pool().existing -= new - allocated;
                    return Err(error);
                }
            }
        }
        Ok(true)
    }

    /// Takes an available stack, if there is one.
    pub(super) fn take(&mut self) -> Option<DefaultStack> {
        self.available.pop()
    }

    /// Returns the stack of a thread that has ended.
    pub(super) fn put(&mut self, stack: DefaultStack) {
        self.available.push(stack);
    }

    /// Releases the memory that the available stacks do not keep.
    fn release_memory(&self) {
        let WorkerStacks { size, available, permits: _ } = self;
        let room = MAX_STACKS_WITH_MEMORY.saturating_sub(pool().free_count());
        let (kept, others) = available.split_at(available.len().min(room));
        if exceeds_kept_memory(*size, kept) {
            for stack in kept {
                memory::release(stack, KEPT_BYTES);
            }
        }
        for stack in others {
            memory::release(stack, 0);
        }
    }
}

impl Drop for WorkerStacks {
    fn drop(&mut self) {
        self.release_memory();
        // Before the permits are released: whoever acquires them next finds the stacks.
        pool().free(self.size).append(&mut self.available);
    }
}

/// Returns whether threads used more memory of their stacks than these keep. They run the same kernel, so that a sample
/// suffices.
fn exceeds_kept_memory(size: StackSize, stacks: &[DefaultStack]) -> bool {
    let sample = [stacks.first(), stacks.get(stacks.len() / 2), stacks.last()];
    size.bytes() > MIN_BYTES || sample.into_iter().flatten().any(|stack| memory::is_used_below(stack, KEPT_BYTES))
}

/// The stack of a worker that runs the threads of blocks sequentially. It needs no permit: there are at most as many of
/// them as host threads that run grids.
pub(super) struct OwnStack {
    size: StackSize,
    stack: Option<DefaultStack>,
}

impl OwnStack {
    /// Takes a stack of a size from the pool, or allocates it.
    pub(super) fn new(size: StackSize) -> io::Result<OwnStack> {
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

    /// Runs a function on the stack, and passes it the address of the guard page. Panics propagate.
    pub(super) fn run<R>(&mut self, function: impl FnOnce(usize) -> R) -> R {
        let stack = self.stack.as_mut().expect("the stack is taken only when this is dropped");
        let guard_page = guard_of(stack);
        corosensei::on_stack(stack, || function(guard_page))
    }
}

impl Drop for OwnStack {
    fn drop(&mut self) {
        let Some(stack) = self.stack.take() else { return };
        // A stack of the smallest size keeps its memory: there are at most as many of them as host threads that run
        // grids, and querying the pages would cost more than a small grid.
        if self.size.bytes() > MIN_BYTES {
            memory::release(&stack, KEPT_BYTES);
        }
        let mut pool = pool();
        // Otherwise it is unmapped when it is dropped.
        if pool.existing < LIMIT {
            pool.existing += 1;
            pool.free(self.size).push(stack);
        }
    }
}

/// The residency of stack pages.
#[cfg(target_os = "linux")]
pub(super) mod memory {
    use corosensei::stack::{DefaultStack, Stack};

    /// Returns the page size in bytes.
    pub(crate) fn page() -> usize {
        // SAFETY: it has no preconditions.
        unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
    }

    /// Returns the address and size of the pages between a stack's guard page and the `kept` bytes at its base.
    fn below(stack: &DefaultStack, kept: usize) -> (*mut libc::c_void, usize) {
        let (start, end) = (stack.limit().get() + page(), stack.base().get() - kept);
        (std::ptr::with_exposed_provenance_mut(start), end - start)
    }

    /// Returns the memory of an unused stack to the operating system, except for the `kept` bytes at its base.
    pub(crate) fn release(stack: &DefaultStack, kept: usize) {
        let (start, bytes) = below(stack, kept);
        // SAFETY: the pages belong to the stack, on which no thread runs, and hold no data: they read as zero from now
        // on. If the call fails, the memory stays allocated.
        unsafe { libc::madvise(start, bytes, libc::MADV_DONTNEED) };
    }

    /// Returns whether pages of a stack are resident, except for the `kept` bytes at its base.
    pub(crate) fn is_used_below(stack: &DefaultStack, kept: usize) -> bool {
        let (start, bytes) = below(stack, kept);
        let mut pages = vec![0; bytes.div_ceil(page())];
        // SAFETY: the pages are mapped, and there is a byte for each of them.
        let result = unsafe { libc::mincore(start, bytes, pages.as_mut_ptr()) };
        result == 0 && pages.iter().any(|page| page & 1 == 1)
    }
}

/// On targets without support for releasing pages, a stack keeps its memory.
#[cfg(not(target_os = "linux"))]
mod memory {
    use corosensei::stack::DefaultStack;

    pub fn release(_stack: &DefaultStack, _kept: usize) {}

    pub fn is_used_below(_stack: &DefaultStack, _kept: usize) -> bool {
        false
    }
}

/// Returns the lowest address of a stack, where its guard page begins.
pub(super) fn guard_of(stack: &DefaultStack) -> usize {
    stack.limit().get()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: StackSize = StackSize(MIN_BYTES);

    #[test]
    fn stacks_are_reused() {
        let mut stacks = WorkerStacks::new(SIZE, false);
        assert!(stacks.reserve(3, true).unwrap());
        let taken: Vec<_> = std::iter::from_fn(|| stacks.take()).collect();
        assert_eq!(taken.len(), 3);
        for stack in taken {
            stacks.put(stack);
        }
        assert!(stacks.reserve(2, true).unwrap());
        assert_eq!(std::iter::from_fn(|| stacks.take()).count(), 3);
    }

    #[test]
    fn a_worker_waits_for_a_permit() {
        let all = Permit::acquire(LIMIT);
        assert!(!WorkerStacks::new(SIZE, false).reserve(1, false).unwrap());
        assert!(WorkerStacks::new(SIZE, true).reserve(1, false).unwrap());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| WorkerStacks::new(SIZE, false).reserve(1, true).unwrap());
            std::thread::sleep(std::time::Duration::from_millis(5));
            drop(all);
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn a_stack_has_room_for_the_kernel_and_host_functions() {
        assert_eq!(StackSize::of(0).bytes(), MIN_BYTES);
        for frames in [0, 1, 400 << 10, 512 << 10, (512 << 10) + 1, 3 << 20, 100 << 20, MAX_FRAME_BYTES] {
            assert!(StackSize::of(frames).bytes() as u64 >= frames + HOST_HEADROOM, "{frames}");
            assert!(
                StackSize::of(frames).bytes() as u64 <= 2 * (frames + HOST_HEADROOM).max(MIN_BYTES as u64),
                "{frames}"
            );
        }
        assert_eq!(StackSize::of(u64::MAX), StackSize::of(MAX_FRAME_BYTES));
    }

    /// Writes `bytes` bytes of the current stack.
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
    fn a_pooled_stack_releases_its_memory() {
        for frames in [0, 4 << 20] {
            let size = StackSize::of(frames);
            let mut own = OwnStack::new(size).unwrap();
            own.run(|_| touch(size.bytes() / 4));
            let stack = own.stack.take().unwrap();
            assert!(memory::is_used_below(&stack, KEPT_BYTES));
            let mut stacks = WorkerStacks::new(size, true);
            pool().existing += 1;
            stacks.put(stack);
            assert!(exceeds_kept_memory(size, &stacks.available));
            // As when it is dropped. In the pool, another test may find the stack.
            stacks.release_memory();
            assert!(!memory::is_used_below(&stacks.available[0], KEPT_BYTES));
        }
    }
}
