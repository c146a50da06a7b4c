// A fake CUDA driver without a GPU, for tests: it tracks memory, streams and launches like a real driver, runs no kernels,
// counts each call, and fails calls on request. Device memory is host memory, so copies work.
//
// `fake.rs` generates definitions of the other functions, which only count their calls. Constants are those of cuda.h, and
// the properties those of an H200.

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONTEXT = 201, NOT_SUPPORTED = 801 };

// ---- Call counters ----

typedef struct Call {
    char name[64];
    long count;
    int code;   // the status of failing calls
    long skip;  // calls that succeed before
    long times; // failing calls after these
} Call;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Call calls[256];

static Call* find(const char* name) {
    pthread_mutex_lock(&lock);
    Call* call = calls;
    while (call->name[0] && strcmp(call->name, name) != 0) call++;
    if (!call->name[0]) strncpy(call->name, name, sizeof call->name - 1);
    pthread_mutex_unlock(&lock);
    return call;
}

// A function that is called once, at the next call of the function that `hooked` counts.
static Call* hooked;
static void (*hook)(void);

int fake_enter(void** here, const char* name) {
    Call* call = __atomic_load_n(here, __ATOMIC_ACQUIRE);
    if (!call) __atomic_store_n(here, call = find(name), __ATOMIC_RELEASE);
    Call* expected = call;
    if (__builtin_expect(__atomic_load_n(&hooked, __ATOMIC_ACQUIRE) == call, 0)
        && __atomic_compare_exchange_n(&hooked, &expected, NULL, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) hook();
    __atomic_fetch_add(&call->count, 1, __ATOMIC_RELAXED);
    if (__builtin_expect(!call->code, 1)) return 0;
    pthread_mutex_lock(&lock);
    int code = 0;
    if (call->skip > 0) call->skip--;
    else if (call->times > 0) { call->times--; code = call->code; }
    pthread_mutex_unlock(&lock);
    return code;
}

#define ENTER                                       \
    static void* here;                              \
    int rejected = fake_enter(&here, __func__);      \
    if (rejected) return rejected

// Returns how often a function was called.
long fake_calls(const char* name) { return __atomic_load_n(&find(name)->count, __ATOMIC_RELAXED); }

// Returns the total number of calls.
long fake_all_calls(void) {
    long sum = 0;
    for (Call* call = calls; call->name[0]; call++) sum += __atomic_load_n(&call->count, __ATOMIC_RELAXED);
    return sum;
}

// Lets the next `skip` calls succeed, then fails `times` calls with `code`.
void fake_reject(const char* name, int code, long skip, long times) {
    Call* call = find(name);
    pthread_mutex_lock(&lock);
    call->skip = skip;
    call->times = times;
    call->code = code;
    pthread_mutex_unlock(&lock);
}

// Calls a function once, at the beginning of the next call with this name.
void fake_hook(const char* name, void (*function)(void)) {
    hook = function;
    __atomic_store_n(&hooked, find(name), __ATOMIC_RELEASE);
}

// ---- Settings of a test ----

static long setting(const char* name, long otherwise) {
    const char* value = getenv(name);
    return value ? atol(value) : otherwise;
}

static long registers = 32, checked_registers, coarsened_registers, largest_cluster = 16;

// The number of registers per thread of each kernel.
void fake_registers(long number) { registers = number; }

// That of each kernel with bounds checks and without a register limit; 0 if it is the same.
void fake_checked_registers(long number) { checked_registers = number; }

// The number of registers per thread of the kernels whose threads execute several threads of a launch.
void fake_coarsened_registers(long number) { coarsened_registers = number; }

// The maximum number of blocks of a cluster.
void fake_largest_cluster(long blocks) { largest_cluster = blocks; }

// ---- The order of operations, event records and waits ----

// RECORD and WAIT are those of events. SYNCHRONISE: all work of the stream is known to have completed.
enum { RECORD, WAIT, SYNCHRONISE, LAUNCH, GRAPH, COPY, SET, FREE };

typedef struct Entry {
    long kind;
    long stream;
    // Of an event: the number of the record that is made or waited for. Of a launch or a graph, if they are identified: the
    // first four bytes of the first parameter of the kernel.
    long record;
} Entry;

static Entry journal[1 << 19];
static long entries;

static void enter_in_journal(long kind, const void* stream, long record) {
    long at = __atomic_fetch_add(&entries, 1, __ATOMIC_RELAXED);
    if (at < (long)(sizeof journal / sizeof *journal)) journal[at] = (Entry){ kind, (long)(intptr_t)stream, record };
}

// Identifies launches and graphs of one kernel by their first parameters. Their driver calls then take random times, so that
// threads are interleaved in many ways.
static int identified;
void fake_identify(long yes) { identified = (int)yes; }

static long identity(void** parameters) {
    if (!identified) return 0;
    static __thread unsigned random;
    random = random * 1664525 + 1013904223 + (unsigned)(uintptr_t)&random;
    for (unsigned i = random >> 28; i > 8; i--) sched_yield();
    return (long)*(unsigned*)parameters[0];
}

// Copies an entry, and returns how many there are.
long fake_journal(long at, Entry* entry) {
    if (at < entries) *entry = journal[at];
    return entries;
}

// ---- The driver ----

int cuInit(unsigned flags) { ENTER; return flags ? INVALID_VALUE : SUCCESS; }
int cuDriverGetVersion(int* version) { ENTER; *version = (int)setting("FAKE_VERSION", 13000); return SUCCESS; }

// NVIDIA's libraries request undocumented tables, which do not exist here.
int cuGetExportTable(const void** table, const void* id) { ENTER; (void)id; *table = NULL; return NOT_SUPPORTED; }

int cuGetErrorName(unsigned code, const char** name) {
    ENTER;
    switch (code) {
    case 2: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return SUCCESS;
    case 4: *name = "CUDA_ERROR_DEINITIALIZED"; return SUCCESS;
    case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return SUCCESS;
    case 701: *name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"; return SUCCESS;
    default: *name = NULL; return INVALID_VALUE;
    }
}

int cuGetErrorString(unsigned code, const char** text) {
    ENTER;
    *text = code == 700 ? "an illegal memory access was encountered" : code < 1000 ? "rejected" : NULL;
    return *text ? SUCCESS : INVALID_VALUE;
}

int cuDeviceGetCount(int* count) { ENTER; *count = (int)setting("FAKE_DEVICES", 1); return SUCCESS; }
int cuDeviceGet(int* device, int ordinal) { ENTER; *device = ordinal; return SUCCESS; }

int cuDeviceGetName(char* name, int length, int device) {
    ENTER;
    snprintf(name, (size_t)length, "Fake GPU %d", device);
    return SUCCESS;
}

static size_t memory(void) { return (size_t)setting("FAKE_MEMORY", 1L << 30); }
int cuDeviceTotalMem_v2(size_t* bytes, int device) { ENTER; (void)device; *bytes = memory(); return SUCCESS; }

int cuDeviceGetAttribute(int* value, int attribute, int device) {
    ENTER;
    long capability = setting("FAKE_CAPABILITY", 90);
    switch (attribute) {
    case 1: case 2: case 3: *value = 1024; break;         // threads of a block, and in x and y
    case 4: *value = 64; break;                           // in z
    case 5: *value = 2147483647; break;                   // blocks in x
    case 6: case 7: *value = 65535; break;                // in y and z
    case 8: *value = 49152; break;                        // shared memory of a block
    case 9: *value = 65536; break;                        // constant memory
    case 12: case 82: *value = 65536; break;              // registers of a block, of a multiprocessor
    case 13: *value = 1980000; break;                     // clock, kHz
    case 16: *value = 132; break;                         // multiprocessors
    case 18: *value = 0; break;                           // integrated
    case 32: *value = 1; break;                           // ECC
    case 33: *value = 0x1b + device; break;               // PCI bus
    case 34: case 50: *value = 0; break;                  // PCI device, domain
    case 36: *value = 3201000; break;                     // memory clock, kHz
    case 37: *value = 6144; break;                        // memory bus
    case 38: *value = 62914560; break;                    // L2
    case 39: *value = 2048; break;                        // threads of a multiprocessor
    case 40: *value = 3; break;                           // copy engines
    case 75: *value = (int)capability / 10; break;
    case 76: *value = (int)capability % 10; break;
    case 81: *value = 233472; break;                      // shared memory of a multiprocessor
    case 95: *value = 1; break;                           // cooperative launch
    case 97: *value = 232448; break;                      // shared memory of a block with opt-in
    case 106: *value = 32; break;                         // blocks of a multiprocessor
    case 115: *value = (int)setting("FAKE_POOLS", 1); break;
    default: *value = 0;
    }
    return SUCCESS;
}

// Contexts are numbers: device 0 has context 1.
static __thread void* current;
int cuDevicePrimaryCtxRetain(void** context, int device) { ENTER; *context = (void*)(intptr_t)(device + 1); return SUCCESS; }
int cuDevicePrimaryCtxRelease_v2(int device) { ENTER; (void)device; return SUCCESS; }
int cuCtxGetCurrent(void** context) { ENTER; *context = current; return SUCCESS; }
int cuCtxSetCurrent(void* context) { ENTER; current = context; return SUCCESS; }
int cuCtxSynchronize(void) { ENTER; return current ? SUCCESS : INVALID_CONTEXT; }
int cuCtxGetStreamPriorityRange(int* last, int* first) { ENTER; *last = 0; *first = -5; return SUCCESS; }

// The time, stream and sequence number of an event's last record; 0 if it was never recorded.
typedef struct Event { struct timespec time; void* stream; long record; } Event;

// A graph, or an executable one.
typedef struct Graph { intptr_t nodes; unsigned first; } Graph; // `first`: see `identity`

// A module, which is also its function. The letter of its machine code: see nvrtc.c.
typedef struct Module { char build, checks; } Module;

// The module of the last launch or kernel node.
static Module last_module;
long fake_last_build(void) { return last_module.build; }
long fake_last_checks(void) { return last_module.checks; }
static void note_build(const void* function) { last_module = *(const Module*)function; }

static long registers_of(const void* function) {
    char build = ((const Module*)function)->build;
    if (build == 'K' && coarsened_registers) return coarsened_registers;
    return build == 'C' && checked_registers ? checked_registers : registers;
}

// Handles of streams, events, modules and functions, counted to detect leaks.
static long handles;
static int make(void** handle) {
    if (!current) return INVALID_CONTEXT;
    *handle = calloc(1, sizeof(Event)); // the largest of them
    __atomic_fetch_add(&handles, 1, __ATOMIC_RELAXED);
    return SUCCESS;
}
static int end(void* handle) {
    free(handle);
    __atomic_fetch_sub(&handles, 1, __ATOMIC_RELAXED);
    return SUCCESS;
}
long fake_handles(void) { return __atomic_load_n(&handles, __ATOMIC_RELAXED); }

int cuStreamCreate(void** stream, unsigned flags) { ENTER; (void)flags; return make(stream); }
int cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) { ENTER; (void)flags; (void)priority; return make(stream); }
int cuStreamDestroy_v2(void* stream) { ENTER; return end(stream); }
int cuStreamSynchronize(void* stream) {
    ENTER;
    enter_in_journal(SYNCHRONISE, stream, 0);
    return current ? SUCCESS : INVALID_CONTEXT;
}
int cuStreamQuery(void* stream) { ENTER; enter_in_journal(SYNCHRONISE, stream, 0); return SUCCESS; }

int cuEventCreate(void** event, unsigned flags) { ENTER; (void)flags; return make(event); }
int cuEventDestroy_v2(void* event) { ENTER; return end(event); }
int cuEventRecord(void* event, void* stream) {
    static long records;
    ENTER;
    Event* this = event;
    clock_gettime(CLOCK_MONOTONIC, &this->time);
    this->stream = stream;
    this->record = __atomic_add_fetch(&records, 1, __ATOMIC_RELAXED);
    enter_in_journal(RECORD, stream, this->record);
    return SUCCESS;
}

// The last wait for an event: which stream waits, the stream that the event was recorded on, and the number of that record.
static intptr_t last_wait[3];
void fake_last_wait(intptr_t* to) { memcpy(to, last_wait, sizeof last_wait); }
int cuStreamWaitEvent(void* stream, void* event, unsigned flags) {
    ENTER;
    (void)flags;
    const Event* that = event;
    intptr_t now[3] = { (intptr_t)stream, (intptr_t)that->stream, that->record };
    memcpy(last_wait, now, sizeof last_wait);
    enter_in_journal(WAIT, stream, that->record);
    return SUCCESS;
}
// A host function is called on another thread, as by CUDA, and has returned when this does.
typedef struct HostCall { void (*function)(void*); void* data; } HostCall;
static void* call_host(void* call) { ((HostCall*)call)->function(((HostCall*)call)->data); return NULL; }
int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
    ENTER;
    (void)stream;
    if (!current) return INVALID_CONTEXT;
    HostCall call = { function, data };
    pthread_t thread;
    if (pthread_create(&thread, NULL, call_host, &call)) abort();
    pthread_join(thread, NULL);
    return SUCCESS;
}
int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
    ENTER;
    const struct timespec *a = &((Event*)start)->time, *b = &((Event*)end)->time;
    *milliseconds = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) * 1e-6);
    return SUCCESS;
}

// Graphs are never executed: their nodes are numbers, from 1.
int cuGraphCreate(void** graph, unsigned flags) { ENTER; (void)flags; return make(graph); }
int cuGraphDestroy(void* graph) { ENTER; return end(graph); }
int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long flags) {
    ENTER;
    (void)flags;
    int made = make(executable);
    if (!made) *(Graph*)*executable = *(Graph*)graph;
    return made;
}
int cuGraphExecDestroy(void* executable) { ENTER; return end(executable); }
int cuGraphLaunch(void* executable, void* stream) {
    ENTER;
    void* first[1] = { &((Graph*)executable)->first };
    enter_in_journal(GRAPH, stream, identity(first));
    return SUCCESS;
}
typedef struct Node { void* function; unsigned grid[3], block[3], shared; void** parameters; void** extra; } Node;
static int add_node(void** node, void* graph) { *node = (void*)++((Graph*)graph)->nodes; return SUCCESS; }
int cuGraphAddKernelNode(void** node, void* graph, void** waits, size_t count, const Node* params) {
    ENTER;
    (void)waits; (void)count;
    note_build(params->function);
    if (identified) ((Graph*)graph)->first = *(unsigned*)params->parameters[0];
    return add_node(node, graph);
}
int cuGraphExecKernelNodeSetParams(void* executable, void* node, const Node* params) {
    ENTER;
    (void)node;
    note_build(params->function);
    if (identified) ((Graph*)executable)->first = *(unsigned*)params->parameters[0];
    return SUCCESS;
}
int cuGraphAddMemcpyNode(void** node, void* graph) { ENTER; return add_node(node, graph); }
int cuGraphAddMemsetNode(void** node, void* graph) { ENTER; return add_node(node, graph); }

// ---- Memory: a header before each allocation holds its size and context ----

typedef struct Header { size_t bytes; intptr_t device; } Header;
enum { ALIGNMENT = 256 };
static size_t used[65]; // by context
static long allocations;

static int allocate(uint64_t* pointer, size_t bytes) {
    intptr_t device = (intptr_t)current;
    if (!device) return INVALID_CONTEXT;
    if (!bytes) return INVALID_VALUE;
    if (bytes > memory() || __atomic_add_fetch(&used[device], bytes, __ATOMIC_RELAXED) > memory()) {
        if (bytes <= memory()) __atomic_fetch_sub(&used[device], bytes, __ATOMIC_RELAXED);
        return OUT_OF_MEMORY;
    }
    char* start = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT);
    *(Header*)start = (Header){ bytes, device };
    *pointer = (uint64_t)(uintptr_t)(start + ALIGNMENT);
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return SUCCESS;
}

static int release(uint64_t pointer) {
    if (!current) return INVALID_CONTEXT;
    Header* header = (Header*)((uintptr_t)pointer - ALIGNMENT);
    if (header->device != (intptr_t)current) return INVALID_VALUE;
    __atomic_fetch_sub(&used[header->device], header->bytes, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&allocations, 1, __ATOMIC_RELAXED);
    free(header);
    return SUCCESS;
}

// Returns the number of live allocations.
long fake_allocations(void) { return __atomic_load_n(&allocations, __ATOMIC_RELAXED); }

int cuMemGetInfo_v2(size_t* available, size_t* total) {
    ENTER;
    if (!current) return INVALID_CONTEXT;
    *total = memory();
    *available = *total - __atomic_load_n(&used[(intptr_t)current], __ATOMIC_RELAXED);
    return SUCCESS;
}
int cuMemAlloc_v2(uint64_t* pointer, size_t bytes) { ENTER; return allocate(pointer, bytes); }
int cuMemFree_v2(uint64_t pointer) { ENTER; return release(pointer); }
int cuMemAllocAsync(uint64_t* pointer, size_t bytes, void* stream) { ENTER; (void)stream; return allocate(pointer, bytes); }
int cuMemFreeAsync(uint64_t pointer, void* stream) { ENTER; enter_in_journal(FREE, stream, 0); return release(pointer); }
int cuDeviceGetDefaultMemPool(void** pool, int device) { ENTER; *pool = (void*)(intptr_t)(device + 1); return SUCCESS; }

static int copy(void* to, const void* from, size_t bytes) {
    if (!current) return INVALID_CONTEXT;
    memmove(to, from, bytes);
    return SUCCESS;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
    ENTER; enter_in_journal(COPY, stream, 0); return copy((void*)(uintptr_t)to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
    ENTER; enter_in_journal(COPY, stream, 0); return copy(to, (void*)(uintptr_t)from, bytes);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
    ENTER; enter_in_journal(COPY, stream, 0); return copy((void*)(uintptr_t)to, (void*)(uintptr_t)from, bytes);
}
int cuDeviceCanAccessPeer(int* can, int device, int peer) { ENTER; *can = device != peer; return SUCCESS; }
int cuMemcpyPeerAsync(uint64_t to, void* there, uint64_t from, void* here_, size_t bytes, void* stream) {
    ENTER; (void)there; (void)here_; enter_in_journal(COPY, stream, 0); return copy((void*)(uintptr_t)to, (void*)(uintptr_t)from, bytes);
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void* stream) {
    ENTER; enter_in_journal(SET, stream, 0); memset((void*)(uintptr_t)to, value, bytes); return SUCCESS;
}
int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t bytes) {
    ENTER; memset((void*)(uintptr_t)to, value, bytes); return SUCCESS;
}
int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void* stream) {
    ENTER; enter_in_journal(SET, stream, 0); for (size_t i = 0; i < count; i++) ((unsigned short*)(uintptr_t)to)[i] = value; return SUCCESS;
}
int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void* stream) {
    ENTER; enter_in_journal(SET, stream, 0); for (size_t i = 0; i < count; i++) ((unsigned*)(uintptr_t)to)[i] = value; return SUCCESS;
}

// Page-locked host memory.
static long locked;
long fake_locked(void) { return __atomic_load_n(&locked, __ATOMIC_RELAXED); }
int cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
    ENTER;
    (void)flags;
    *pointer = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    memset(*pointer, 0, bytes);
    __atomic_fetch_add(&locked, 1, __ATOMIC_RELAXED);
    return SUCCESS;
}
int cuMemFreeHost(void* pointer) {
    ENTER;
    free(pointer);
    __atomic_fetch_sub(&locked, 1, __ATOMIC_RELAXED);
    return SUCCESS;
}
int cuMemHostGetDevicePointer_v2(uint64_t* pointer, void* host, unsigned flags) {
    ENTER; (void)flags; *pointer = (uint64_t)(uintptr_t)host; return SUCCESS;
}

// ---- Kernels ----

// The beginning of the last image passed to the driver; a cubin starts with 0x7f and ELF.
static char last_image[64];
void fake_last_image(char* to) { memcpy(to, last_image, sizeof last_image); }

int cuModuleLoadData(void** module, const void* image) { ENTER; (void)image; return make(module); }
int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options, void** values) {
    const char* text = image;
    memset(last_image, 0, sizeof last_image);
    memcpy(last_image, text, *text == 0x7f ? 4 : strnlen(text, sizeof last_image - 1));
    ENTER;
    (void)count; (void)options; (void)values;
    int made = make(module);
    if (!made) *(Module*)*module = *text == 0x7f ? (Module){ text[4], text[5] } : (Module){ '?', 0 };
    return made;
}
int cuModuleUnload(void* module) { ENTER; return end(module); }
int cuModuleGetFunction(void** function, void* module, const char* name) { ENTER; (void)name; *function = module; return SUCCESS; }

int cuFuncGetAttribute(int* value, int attribute, void* function) {
    ENTER;
    long registers = registers_of(function);
    long threads = 65536 / ((registers + 7) / 8 * 8) / 32 * 32;
    switch (attribute) {
    case 0: *value = (int)(threads < 1024 ? threads : 1024); break;
    case 2: *value = 640; break; // constant memory
    case 4: *value = (int)registers; break;
    case 5: case 6: *value = 90; break;
    default: *value = 0; // shared and local memory
    }
    return SUCCESS;
}
static long dynamic_shared, large_clusters;
int cuFuncSetAttribute(void* function, int attribute, int value) {
    ENTER;
    (void)function;
    if (attribute == 8) dynamic_shared = value;
    if (attribute == 14) large_clusters = value;
    return SUCCESS;
}
long fake_dynamic_shared(void) { return dynamic_shared; }
long fake_large_clusters(void) { return large_clusters; }

typedef struct Config {
    unsigned grid[3], block[3], shared;
    void* stream;
    struct Attribute { int id, pad; union { char bytes[64]; unsigned cluster[3]; int flag; } value; }* attributes;
    unsigned count;
} Config;

// The last launch: grid, block, cluster, shared memory, whether it was cooperative.
static unsigned last[11];
void fake_last_launch(unsigned* to) {
    pthread_mutex_lock(&lock);
    memcpy(to, last, sizeof last);
    pthread_mutex_unlock(&lock);
}

// The first four bytes of each of the first `watched` parameters of the last launch.
static long watched;
static unsigned seen[16];
void fake_watch(long count) { watched = count < 16 ? count : 16; }
// The number of blocks in the launch parameter of the last launch, which is the parameter with this index.
static long launch_parameter = -1;
static unsigned blocks;
void fake_watch_blocks(long parameter) { launch_parameter = parameter; }
long fake_last_blocks(void) { return blocks; }
void fake_seen(unsigned* to) { memcpy(to, seen, sizeof seen); }

// The index of the launch parameter of a kernel that prints. Such a launch writes a message of the first site, with the
// kernel's first parameter as its argument; if that is 0, it reports a lost message instead.
static long prints_with = -1;
void fake_print(long parameter) { prints_with = parameter; }

static void print(void** parameters) {
    typedef struct { uint64_t fault, print, grid_barrier; uint32_t kernel, pad; } Launch;
    typedef struct { uint32_t used, capacity, lost, pad; } Header;
    Launch own;
    uint64_t number;
    memcpy(&own, parameters[prints_with], sizeof own);
    memcpy(&number, parameters[0], sizeof number);
    Header* header = (Header*)(uintptr_t)own.print;
    uint64_t* words = (uint64_t*)(header + 1) + header->used;
    if (number == 0) { header->lost++; return; }
    memcpy(words, (uint64_t[]){ (uint64_t)own.kernel << 32 | 1, 0, 0, 0, number }, 5 * sizeof *words);
    header->used += 5;
}

static int launch(const unsigned* grid, const unsigned* block, const unsigned* cluster, unsigned shared, unsigned together) {
    if (!current) return INVALID_CONTEXT;
    if (shared > 49152 && shared > dynamic_shared) return INVALID_VALUE;
    unsigned now[11] = { grid[0], grid[1], grid[2], block[0], block[1], block[2], cluster[0], cluster[1], cluster[2], shared, together };
    // Without the lock: a loop of launches is timed, and tests that query this launch from one thread.
    memcpy(last, now, sizeof last);
    return SUCCESS;
}

static const unsigned ones[3] = { 1, 1, 1 };
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** parameters, void** extra) {
    ENTER;
    (void)extra;
    note_build(function);
    enter_in_journal(LAUNCH, stream, identity(parameters));
    for (long i = 0; i < watched; i++) memcpy(&seen[i], parameters[i], sizeof *seen);
    if (launch_parameter >= 0) memcpy(&blocks, (const char*)parameters[launch_parameter] + 28, sizeof blocks);
    if (prints_with >= 0) print(parameters);
    return launch((unsigned[]){ gx, gy, gz }, (unsigned[]){ bx, by, bz }, ones, shared, 0);
}
int cuLaunchCooperativeKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                              unsigned shared, void* stream, void** parameters) {
    ENTER;
    (void)stream; (void)parameters;
    note_build(function);
    return launch((unsigned[]){ gx, gy, gz }, (unsigned[]){ bx, by, bz }, ones, shared, 1);
}

static int resident(const void* function, unsigned threads, size_t shared) {
    long registers = registers_of(function);
    long warps = (threads + 31) / 32, by_registers = 65536 / ((registers + 7) / 8 * 8 * warps * 32);
    long by_threads = 2048 / (warps * 32), by_shared = 233472 / ((long)shared + 1024);
    long least = by_registers < by_threads ? by_registers : by_threads;
    least = least < by_shared ? least : by_shared;
    return (int)(least < 32 ? least : 32);
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads, size_t shared) {
    ENTER;
    *blocks = resident(function, (unsigned)threads, shared);
    return SUCCESS;
}

#ifndef WITHOUT_CLUSTERS
static void read(const Config* config, unsigned* cluster, unsigned* together) {
    memcpy(cluster, ones, sizeof ones);
    *together = 0;
    for (unsigned i = 0; i < config->count; i++) {
        if (config->attributes[i].id == 4) memcpy(cluster, config->attributes[i].value.cluster, sizeof ones);
        if (config->attributes[i].id == 2) *together = (unsigned)config->attributes[i].value.flag;
    }
}
int cuLaunchKernelEx(const Config* config, void* function, void** parameters, void** extra) {
    ENTER;
    (void)parameters; (void)extra;
    note_build(function);
    unsigned cluster[3], together;
    read(config, cluster, &together);
    unsigned blocks = cluster[0] * cluster[1] * cluster[2];
    if (blocks > 8 && !large_clusters) return INVALID_VALUE;
    for (int i = 0; i < 3; i++)
        if (config->grid[i] % cluster[i]) return INVALID_VALUE;
    return launch(config->grid, config->block, cluster, config->shared, together);
}
int cuOccupancyMaxPotentialClusterSize(int* blocks, void* function, const Config* config) {
    ENTER; (void)function; (void)config; *blocks = (int)largest_cluster; return SUCCESS;
}
int cuOccupancyMaxActiveClusters(int* clusters, void* function, const Config* config) {
    ENTER;
    unsigned cluster[3], together;
    read(config, cluster, &together);
    unsigned threads = config->block[0] * config->block[1] * config->block[2];
    *clusters = 132 * resident(function, threads, config->shared) / (int)(cluster[0] * cluster[1] * cluster[2]);
    return SUCCESS;
}
#endif
