// An NVRTC that compiles nothing, for a driver that runs nothing.

#include <stddef.h>
#include <string.h>

int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = 0; return 0; }
const char* nvrtcGetErrorString(int status) { return status ? "refused" : "no error"; }
int nvrtcGetNumSupportedArchs(int* count) { *count = 3; return 0; }
int nvrtcGetSupportedArchs(int* archs) { archs[0] = 75; archs[1] = 80; archs[2] = 90; return 0; }
int nvrtcCreateProgram(void** program, const char* source, const char* name, int count, const char** headers, const char** names) {
    (void)source; (void)name; (void)count; (void)headers; (void)names;
    *program = (void*)1;
    return 0;
}
int nvrtcDestroyProgram(void** program) { *program = NULL; return 0; }
int nvrtcCompileProgram(void* program, int count, const char** options) { (void)program; (void)count; (void)options; return 0; }
int nvrtcGetCUBINSize(void* program, size_t* size) { (void)program; *size = 4; return 0; }
int nvrtcGetCUBIN(void* program, char* to) { (void)program; memcpy(to, "\x7f" "ELF", 4); return 0; }
int nvrtcGetPTXSize(void* program, size_t* size) { (void)program; *size = 8; return 0; }
int nvrtcGetPTX(void* program, char* to) { (void)program; memcpy(to, "// PTX.", 8); return 0; }
int nvrtcGetProgramLogSize(void* program, size_t* size) { (void)program; *size = 1; return 0; }
int nvrtcGetProgramLog(void* program, char* to) { (void)program; to[0] = 0; return 0; }
