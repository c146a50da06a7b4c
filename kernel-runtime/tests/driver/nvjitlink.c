// A fake nvJitLink for the output of the fake NVRTC. It requires at least two inputs, and returns the first one, the kernel. A
// thread has at most one link.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static __thread char first[16];
static __thread size_t first_size;
static __thread int inputs;

int nvJitLinkVersion(unsigned* major, unsigned* minor) { *major = 13; *minor = 0; return 0; }
int nvJitLinkCreate(void** handle, uint32_t count, const char* const* options) {
    *handle = (void*)1;
    inputs = 0;
    // NVJITLINK_ERROR_MISSING_ARCH
    return count && strcmp(options[count - 1], "-arch=sm_90a") == 0 ? 0 : 2;
}
int nvJitLinkDestroy(void** handle) { *handle = NULL; return 0; }
int nvJitLinkAddData(void* handle, int kind, const void* data, size_t size, const char* name) {
    (void)handle; (void)name;
    // Machine code and PTX. NVJITLINK_ERROR_INVALID_INPUT
    if (kind != 1 && kind != 2) return 3;
    if (inputs++ == 0) {
        first_size = size < sizeof first ? size : sizeof first;
        memcpy(first, data, first_size);
    }
    return 0;
}
int nvJitLinkComplete(void* handle) { (void)handle; return inputs > 1 ? 0 : 6; }
int nvJitLinkGetLinkedCubinSize(void* handle, size_t* size) { (void)handle; *size = first_size; return 0; }
int nvJitLinkGetLinkedCubin(void* handle, void* to) { (void)handle; memcpy(to, first, first_size); return 0; }
int nvJitLinkGetErrorLogSize(void* handle, size_t* size) { (void)handle; *size = 0; return 0; }
int nvJitLinkGetErrorLog(void* handle, char* to) { (void)handle; (void)to; return 0; }
