// A fake NVRTC that compiles nothing, for the fake driver. Like NVIDIA's, it returns machine code only for the architectures that
// it supports, and only PTX for a `compute_` architecture. A thread has at most one program. The machine code is an ELF header
// and a letter, for the build: L with a register limit that takes effect, else C with bounds checks, P without; the number of
// checks follows.

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MAJOR
#define MAJOR 13
#endif

static const int known[] = { 75, 80, 90 };
static __thread char ptx[64];
static __thread int has_cubin, is_rejected;
static __thread char build, checks, has_bounds;

int nvrtcVersion(int* major, int* minor) { *major = MAJOR; *minor = MAJOR == 12 ? 9 : 0; return 0; }
const char* nvrtcGetErrorString(int status) { return status ? "rejected" : "no error"; }
int nvrtcGetNumSupportedArchs(int* count) { *count = 3; return 0; }
int nvrtcGetSupportedArchs(int* archs) { memcpy(archs, known, sizeof known); return 0; }
int nvrtcCreateProgram(void** program, const char* source, const char* name, int count, const char** headers, const char** names) {
    (void)name; (void)count; (void)headers; (void)names;
    *program = (void*)1;
    build = strstr(source, "launch.blocks") ? 'K' : strstr(source, "rt::at") ? 'C' : 'P';
    checks = 0;
    for (const char* at = source; (at = strstr(at, "rt::at")); at++) checks++;
    has_bounds = strstr(source, "__launch_bounds__") != NULL;
    return 0;
}
int nvrtcDestroyProgram(void** program) { *program = NULL; return 0; }
int nvrtcCompileProgram(void* program, int count, const char** options) {
    static const char flag[] = "--gpu-architecture=", limit[] = "--maxrregcount=";
    (void)program;
    is_rejected = 1;
    for (int i = 0; i < count; i++) {
        // Launch bounds have precedence.
        if (strncmp(options[i], limit, sizeof limit - 1) == 0 && !has_bounds) build = 'L';
        if (strncmp(options[i], flag, sizeof flag - 1) != 0) continue;
        const char* architecture = options[i] + sizeof flag - 1;
        const char* digits = strchr(architecture, '_');
        for (int j = 0; digits && j < 3; j++) is_rejected &= atoi(digits + 1) != known[j];
        has_cubin = strncmp(architecture, "sm_", 3) == 0;
        snprintf(ptx, sizeof ptx, "// PTX of %d for %s.", MAJOR, architecture);
    }
    return is_rejected ? 5 : 0;
}
int nvrtcGetCUBINSize(void* program, size_t* size) { (void)program; *size = has_cubin ? 6 : 0; return 0; }
int nvrtcGetCUBIN(void* program, char* to) { (void)program; memcpy(to, (char[]){ 0x7f, 'E', 'L', 'F', build, checks }, 6); return 0; }
int nvrtcGetPTXSize(void* program, size_t* size) { (void)program; *size = strlen(ptx) + 1; return 0; }
int nvrtcGetPTX(void* program, char* to) { (void)program; strcpy(to, ptx); return 0; }
static const char* words(void) { return is_rejected ? "nvrtc: error: invalid value for --gpu-architecture (-arch)" : ""; }
int nvrtcGetProgramLogSize(void* program, size_t* size) { (void)program; *size = strlen(words()) + 1; return 0; }
int nvrtcGetProgramLog(void* program, char* to) { (void)program; strcpy(to, words()); return 0; }
