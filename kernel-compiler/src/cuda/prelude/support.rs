//! Templates in `namespace rt`: arrays, and the transfer of messages to the host.

use crate::lower::{CHUNK, Chunk, Template};
use crate::set::Set;
use crate::source::PRINT_WORDS;

/// An array that can be copied, passed and returned, unlike C's. A zero-length array has one element here, which is
/// inaccessible, since every index is out of bounds.
const ARRAY: &str = "
template <class T, usize N>
struct Array {
    T at[N == 0 ? 1 : N];
    __device__ __forceinline__ T& operator[](usize index) { return at[index]; }
    __device__ __forceinline__ const T& operator[](usize index) const { return at[index]; }
};
";

const FILLED: &str = "
template <class T, usize N>
static __device__ __forceinline__ Array<T, N> filled(T value) {
    Array<T, N> array;
    for (usize i = 0; i < N; ++i) array.at[i] = value;
    return array;
}
";

/// The bits of a scalar, in the low-order bits of the result.
const BITS: &str = "
template <class T>
static __device__ __forceinline__ u64 bits(T value) {
    u64 bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}
";

/// A fault with message arguments.
const PANIC: &str = "
template <class... T>
static __device__ __noinline__ __attribute__((noreturn)) void panic(Launch launch, u32 site, T... values) {
    if (Fault* const record = claim(launch, site)) {
        const u64 args[] = {bits(values)...};
        for (u32 i = 0; i < sizeof...(T); ++i) record->args[i] = args[i];
        __threadfence_system();
    }
$failed    asm volatile(\"exit;\");
    __builtin_unreachable();
}
";

/// Reserves space in the print buffer by one atomic addition. A message that does not fit is counted and not written.
/// The buffer is full from then on, so that `used` cannot wrap around.
const PRINT: &str = "
struct Print {
    u32 used;
    u32 capacity;
    u32 lost;
    u32 pad;
};

static __device__ __noinline__ void print_words(Launch launch, u32 site, const u64* args, u32 count) {
    Print* const buffer = launch.print;
    if (buffer == nullptr) return;
    const u32 need = $words + count;
    const u32 capacity = buffer->capacity;
    u32 start = capacity;
    if (*(volatile u32*)&buffer->used < capacity) start = atomicAdd(&buffer->used, need);
    if (start >= capacity || need > capacity - start) {
        atomicAdd(&buffer->lost, 1u);
        return;
    }
    u64* const words = (u64*)(buffer + 1) + start;
    words[0] = (u64)site + 1 | (u64)launch.kernel << 32;
    words[1] = blockIdx.x | (u64)blockIdx.y << 32;
    words[2] = blockIdx.z | (u64)threadIdx.x << 32;
    words[3] = threadIdx.y | (u64)threadIdx.z << 32;
    for (u32 i = 0; i < count; ++i) words[$words + i] = args[i];
}

template <class... T>
static __device__ __forceinline__ void print(Launch launch, u32 site, T... values) {
    const u64 args[] = {0, bits(values)...};
    print_words(launch, site, args + 1, sizeof...(T));
}
";

/// Loads in a loop whose faults are deferred, with indices of 64 and of 32 bits. See `lower/passes/defer.rs`.
const DEFERRED: &str = "
template <class T>
static __device__ __forceinline__ T load(const T* from, usize index, usize len, bool& fault) {
    const bool is_inside = index < len;
    fault |= !is_inside;
    return is_inside ? from[index] : T{};
}

template <class T>
static __device__ __forceinline__ T load_u32(const T* from, u32 index, u32 len, bool& fault) {
    const bool is_inside = index < len;
    fault |= !is_inside;
    return is_inside ? from[index] : T{};
}
";

/// The same for an element of an array.
const DEFERRED_ARRAY: &str = "
template <class T, usize N>
static __device__ __forceinline__ T load(const Array<T, N>& from, usize index, usize len, bool& fault) {
    const bool is_inside = index < len;
    fault |= !is_inside;
    return is_inside ? from[index] : T{};
}
";

/// Loads of elements with several indices. They are known to be in bounds, if the condition is true.
const DEFERRED_PARTS: &str = "
static __device__ __forceinline__ bool inside(usize index, usize len, bool& fault) {
    const bool is_inside = index < len;
    fault |= !is_inside;
    return is_inside;
}

template <class T>
static __device__ __forceinline__ T load(const T* from, usize index, bool is_inside) {
    return is_inside ? from[index] : T{};
}
";

const DEFERRED_PARTS_ARRAY: &str = "
template <class T, usize N>
static __device__ __forceinline__ T load(const Array<T, N>& from, usize index, bool is_inside) {
    return is_inside ? from[index] : T{};
}
";

/// The ends of chunks. The counter is in the range, so that the distance to the end is positive, whatever the signs.
const CHUNK_UP: &str = "
template <class T>
static __device__ __forceinline__ T $name(T i, T end) {
    return (u64)end - (u64)i > $n ? (T)(i + $n) : end;
}
";

const CHUNK_UP_TO: &str = "
template <class T>
static __device__ __forceinline__ T $name(T i, T last) {
    return (u64)last - (u64)i >= $n ? (T)(i + ($n - 1)) : last;
}
";

const CHUNK_DOWN: &str = "
template <class T>
static __device__ __forceinline__ T $name(T i, T end) {
    return (u64)i - (u64)end > $n ? (T)(i - $n) : end;
}
";

const CHUNK_BY: &str = "
template <class T>
static __device__ __forceinline__ T $name(T i, T end, usize by) {
    return ((u64)end - (u64)i) / $n > by ? (T)((u64)i + $n * (u64)by) : end;
}
";

/// Returns the name of the function that computes the end of a chunk.
pub(in crate::cuda) fn chunk_name(chunk: Chunk) -> &'static str {
    match chunk {
        Chunk::Up => "chunk_up",
        Chunk::UpTo => "chunk_up_to",
        Chunk::Down => "chunk_down",
        Chunk::By => "chunk_by",
        Chunk::Counted => "chunk",
    }
}

/// Writes the support of deferred faults, as far as a program uses it.
pub(in crate::cuda) fn deferral(text: &mut String, templates: &Set<Template>) {
    let arrays = templates.contains(&Template::Array);
    for (template, definition, of_array) in [
        (Template::Deferred, DEFERRED, DEFERRED_ARRAY),
        (Template::DeferredParts, DEFERRED_PARTS, DEFERRED_PARTS_ARRAY),
    ] {
        if templates.contains(&template) {
            text.push_str(definition);
            text.push_str(if arrays { of_array } else { "" });
        }
    }
    for (chunk, definition) in
        [(Chunk::Up, CHUNK_UP), (Chunk::UpTo, CHUNK_UP_TO), (Chunk::Down, CHUNK_DOWN), (Chunk::By, CHUNK_BY)]
    {
        if templates.contains(&Template::Chunk(chunk)) {
            text.push_str(&definition.replace("$name", chunk_name(chunk)).replace("$n", &CHUNK.to_string()));
        }
    }
}

/// Writes `rt::Array` and its constructor function, if a program uses them.
pub(in crate::cuda) fn arrays(text: &mut String, templates: &Set<Template>) {
    if templates.contains(&Template::Array) {
        text.push_str(ARRAY);
    }
    if templates.contains(&Template::Filled) {
        text.push_str(FILLED);
    }
}

/// Writes the functions for messages, which follow `fault`. `failed` is executed before a thread exits.
pub(in crate::cuda) fn messages(text: &mut String, templates: &Set<Template>, failed: &str) {
    let (panics, prints) = (templates.contains(&Template::Panic), templates.contains(&Template::Print));
    if panics || prints {
        text.push_str(BITS);
    }
    if panics {
        text.push_str(&PANIC.replace("$failed", failed));
    }
    if prints {
        text.push_str(&PRINT.replace("$words", &PRINT_WORDS.to_string()));
    }
}
