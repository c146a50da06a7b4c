typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef long long isize;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned long long usize;

namespace rt {

template <class T, usize N>
struct Array {
    T at[N == 0 ? 1 : N];
    __device__ __forceinline__ T& operator[](usize index) { return at[index]; }
    __device__ __forceinline__ const T& operator[](usize index) const { return at[index]; }
};

struct Fault {
    u32 flag;
    u32 kernel;
    u32 site;
    u32 block[3];
    u32 thread[3];
    u32 pad;
    u64 index;
    u64 len;
    u64 args[6];
};

struct Print;

struct Launch {
    Fault* fault;
    Print* print;
    u64* grid_barrier;
    u32 kernel;
};

static __device__ __forceinline__ Fault* claim(Launch launch, u32 site) {
    Fault* const record = launch.fault;
    if (atomicCAS(&record->flag, 0u, 1u) != 0u) return nullptr;
    record->kernel = launch.kernel;
    record->site = site;
    record->block[0] = blockIdx.x;
    record->block[1] = blockIdx.y;
    record->block[2] = blockIdx.z;
    record->thread[0] = threadIdx.x;
    record->thread[1] = threadIdx.y;
    record->thread[2] = threadIdx.z;
    return record;
}

static __device__ __noinline__ __attribute__((noreturn)) void fault(Launch launch, u32 site, u64 index, u64 len) {
    if (Fault* const record = claim(launch, site)) {
        record->index = index;
        record->len = len;
        __threadfence_system();
    }
    asm volatile("exit;");
    __builtin_unreachable();
}

template <u32 site>
static __device__ __noinline__ __attribute__((noreturn)) void fault(Launch launch, u64 index, u64 len) {
    if (Fault* const record = claim(launch, site)) {
        record->index = index;
        record->len = len;
        __threadfence_system();
    }
    asm volatile("exit;");
    __builtin_unreachable();
}

template <u32 site>
static __device__ __forceinline__ usize at(usize index, usize len, Launch launch) {
    if (index >= len) fault<site>(launch, index, len);
    return index;
}

}  // namespace rt

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::payloads::Body
typedef u32 Body_tag;
constexpr Body_tag Body_tag_Sphere = 0;
constexpr Body_tag Body_tag_Floor = 1;

// cumbia_corpus::payloads::Body::Sphere
struct __align__(4) Body_Sphere {
    u32 tag;
    rt::Array<float, 3> centre;
    float radius;
};
static_assert(sizeof(Body_Sphere) == 20, "the size of Body_Sphere");
static_assert(offset_of(Body_Sphere, tag) == 0, "the offset of Body_Sphere::tag");
static_assert(offset_of(Body_Sphere, centre) == 4, "the offset of Body_Sphere::centre");
static_assert(offset_of(Body_Sphere, radius) == 16, "the offset of Body_Sphere::radius");

// cumbia_corpus::payloads::Body::Floor
struct __align__(4) Body_Floor {
    u32 tag;
    float height;
};
static_assert(sizeof(Body_Floor) == 8, "the size of Body_Floor");
static_assert(offset_of(Body_Floor, tag) == 0, "the offset of Body_Floor::tag");
static_assert(offset_of(Body_Floor, height) == 4, "the offset of Body_Floor::height");

// cumbia_corpus::payloads::Body
struct __align__(4) Body {
    union {
        types::Body_tag tag;
        types::Body_Sphere Sphere;
        types::Body_Floor Floor;
    };
    Body() = default;
    constexpr __device__ Body(const types::Body_Sphere value) : Sphere(value) {}
    constexpr __device__ Body(const types::Body_Floor value) : Floor(value) {}
};
static_assert(sizeof(Body) == 20, "the size of Body");
static_assert(offset_of(Body, tag) == 0, "the offset of Body::tag");
static_assert(offset_of(Body, Sphere) == 0, "the offset of Body::Sphere");
static_assert(offset_of(Body, Floor) == 0, "the offset of Body::Floor");

// cumbia_corpus::payloads::Ray
struct __align__(4) Ray {
    rt::Array<float, 3> origin;
    rt::Array<float, 3> direction;
};
static_assert(sizeof(Ray) == 24, "the size of Ray");
static_assert(offset_of(Ray, origin) == 0, "the offset of Ray::origin");
static_assert(offset_of(Ray, direction) == 12, "the offset of Ray::direction");

// Option<f32>
typedef u32 Option_f32_tag;
constexpr Option_f32_tag Option_f32_tag_None = 0;
constexpr Option_f32_tag Option_f32_tag_Some = 1;

// Option<f32>
struct Option_f32 {
    types::Option_f32_tag tag;
    float Some;
};

// cumbia_corpus::payloads::Hit
typedef u16 Hit_tag;
constexpr Hit_tag Hit_tag_Miss = 0;
constexpr Hit_tag Hit_tag_Sphere = 1;
constexpr Hit_tag Hit_tag_Floor = 2;

// cumbia_corpus::payloads::Hit::Miss
struct __align__(4) Hit_Miss {
    u16 tag;
};
static_assert(sizeof(Hit_Miss) == 4, "the size of Hit_Miss");
static_assert(offset_of(Hit_Miss, tag) == 0, "the offset of Hit_Miss::tag");

// cumbia_corpus::payloads::Hit::Sphere
struct __align__(4) Hit_Sphere {
    u16 tag;
    float t;
    u32 id;
};
static_assert(sizeof(Hit_Sphere) == 12, "the size of Hit_Sphere");
static_assert(offset_of(Hit_Sphere, tag) == 0, "the offset of Hit_Sphere::tag");
static_assert(offset_of(Hit_Sphere, t) == 4, "the offset of Hit_Sphere::t");
static_assert(offset_of(Hit_Sphere, id) == 8, "the offset of Hit_Sphere::id");

// cumbia_corpus::payloads::Hit::Floor
struct __align__(4) Hit_Floor {
    u16 tag;
    float t;
};
static_assert(sizeof(Hit_Floor) == 8, "the size of Hit_Floor");
static_assert(offset_of(Hit_Floor, tag) == 0, "the offset of Hit_Floor::tag");
static_assert(offset_of(Hit_Floor, t) == 4, "the offset of Hit_Floor::t");

// cumbia_corpus::payloads::Hit
struct __align__(4) Hit {
    union {
        types::Hit_tag tag;
        types::Hit_Miss Miss;
        types::Hit_Sphere Sphere;
        types::Hit_Floor Floor;
    };
    Hit() = default;
    constexpr __device__ Hit(const types::Hit_Miss value) : Miss(value) {}
    constexpr __device__ Hit(const types::Hit_Sphere value) : Sphere(value) {}
    constexpr __device__ Hit(const types::Hit_Floor value) : Floor(value) {}
};
static_assert(sizeof(Hit) == 12, "the size of Hit");
static_assert(offset_of(Hit, tag) == 0, "the offset of Hit::tag");
static_assert(offset_of(Hit, Miss) == 0, "the offset of Hit::Miss");
static_assert(offset_of(Hit, Sphere) == 0, "the offset of Hit::Sphere");
static_assert(offset_of(Hit, Floor) == 0, "the offset of Hit::Floor");

// Option<(f32, usize)>
typedef u32 Option_f32_usize_tag;
constexpr Option_f32_usize_tag Option_f32_usize_tag_None = 0;
constexpr Option_f32_usize_tag Option_f32_usize_tag_Some = 1;

}  // namespace types

#undef offset_of

namespace device {

#line 409 "tests/corpus/payloads.rs"
static __device__ inline float dot(rt::Array<float, 3> a, rt::Array<float, 3> b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#line 415 "tests/corpus/payloads.rs"
static __device__ inline types::Option_f32 Body_distance(const types::Body& self_, types::Ray ray) {
    float t;
#line 416
    const types::Body matched = self_;
#line 416
    {
#line 416
        if (matched.tag == types::Body_tag_Sphere) {
            const rt::Array<float, 3> part0 = matched.Sphere.centre;
#line 417
            const float part1 = matched.Sphere.radius;
            const rt::Array<float, 3> to = {{ray.origin[0] - part0[0], ray.origin[1] - part0[1], ray.origin[2] - part0[2]}};
            const float b = device::dot(to, ray.direction);
#line 419
            const float c = device::dot(to, to) - part1 * part1;
            const float root = b * b - c;
            if (root < 0.0f) {
                return types::Option_f32{types::Option_f32_tag_None, 0.0f};
            }
            t = -b - sqrtf(root);
        } else {
#line 416
            if (matched.tag == types::Body_tag_Floor) {
#line 426
                const float part0_2 = matched.Floor.height;
#line 426
                if (ray.direction[1] != 0.0f) {
#line 426
                    t = (part0_2 - ray.origin[1]) / ray.direction[1];
#line 426
                    goto matched_1;
                }
            }
#line 427
            return types::Option_f32{types::Option_f32_tag_None, 0.0f};
        }
    }
    matched_1:;
#line 429
    if (t > 0.0f) {
#line 429
        return types::Option_f32{types::Option_f32_tag_Some, t};
    } else {
#line 429
        return types::Option_f32{types::Option_f32_tag_None, 0.0f};
    }
}

#line 434 "tests/corpus/payloads.rs"
static __device__ inline types::Hit trace(types::Ray ray, const types::Body* bodies, usize bodies_len, rt::Launch launch) {
    types::Option_f32_usize_tag nearest_0 = types::Option_f32_usize_tag_None;
#line 435
    float nearest_2_0 = 0.0f;
#line 435
    usize nearest_2_1 = 0;
    for (usize id = 0; id < bodies_len; ++id) {
        float value_0;
#line 437
        const types::Option_f32 value = device::Body_distance(bodies[id], ray);
#line 437
        if (value.tag == types::Option_f32_tag_Some) {
#line 437
            const float t = value.Some;
#line 437
            value_0 = t;
        } else {
#line 437
            continue;
        }
#line 437
        const float t_2 = value_0;
        types::Option_f32_usize_tag value_0_2;
#line 438
        float value_2_0;
#line 438
        usize value_2_1;
#line 438
        if (nearest_0 == types::Option_f32_usize_tag_Some && nearest_2_0 <= t_2) {
            const float before = nearest_2_0;
#line 439
            value_0_2 = nearest_0;
#line 439
            value_2_0 = nearest_2_0;
#line 439
            value_2_1 = nearest_2_1;
        } else {
#line 440
            value_0_2 = types::Option_f32_usize_tag_Some;
#line 440
            value_2_0 = t_2;
#line 440
            value_2_1 = id;
        }
#line 438
        nearest_0 = value_0_2;
#line 438
        nearest_2_0 = value_2_0;
#line 438
        nearest_2_1 = value_2_1;
    }
#line 443
    if (nearest_0 == types::Option_f32_usize_tag_None) {
        return types::Hit(types::Hit_Miss{types::Hit_tag_Miss});
    } else {
#line 445
        const float t_3 = nearest_2_0;
#line 445
        const usize id_2 = nearest_2_1;
#line 445
        const types::Body matched = bodies[rt::at<1>(id_2, bodies_len, launch)];
#line 445
        if (matched.tag == types::Body_tag_Sphere) {
            return types::Hit(types::Hit_Sphere{types::Hit_tag_Sphere, t_3, (u32)id_2});
        } else {
#line 447
            return types::Hit(types::Hit_Floor{types::Hit_tag_Floor, t_3});
        }
    }
}

}  // namespace device

#line 453 "tests/corpus/payloads.rs"
extern "C" __global__ void first_hits(const types::Ray* __restrict__ rays, usize rays_len, const types::Body* __restrict__ bodies, usize bodies_len, types::Hit* __restrict__ hits, usize hits_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < rays_len) {
        hits[rt::at<3>(i, hits_len, launch)] = device::trace(rays[rt::at<2>(i, rays_len, launch)], bodies, bodies_len, launch);
    }
}
