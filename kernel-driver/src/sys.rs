//! The types and constants of `cuda.h` that this layer uses, under the names of the header.
//!
//! They are ABI: a name with a version suffix never changes its layout, and a constant never changes its value. The tests
//! compare each with the bindings of cudarc. That crate is not a dependency, because it takes longer to compile than
//! this one and fixes a CUDA version.
//!
//! An enumeration is a struct around its integer: a driver newer than this list may return any value.

#![allow(non_camel_case_types, non_snake_case, reason = "the names are those of cuda.h")]

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

/// Declares opaque handles.
macro_rules! handles {
    ($($(#[$documented:meta])* $visible:vis $name:ident = $opaque:ident;)*) => {$(
        #[doc = concat!("The object behind a [`", stringify!($name), "`].")]
        #[repr(C)]
        #[derive(Debug)]
        $visible struct $opaque {
            _opaque: [u8; 0],
        }

        $(#[$documented])*
        $visible type $name = *mut $opaque;
    )*};
}

handles! {
    /// A context.
    pub CUcontext = CUctx_st;
    /// A loaded module.
    pub(crate) CUmodule = CUmod_st;
    /// A function of a module.
    pub(crate) CUfunction = CUfunc_st;
    /// A stream.
    pub CUstream = CUstream_st;
    /// An event.
    pub(crate) CUevent = CUevent_st;
    /// A graph.
    pub(crate) CUgraph = CUgraph_st;
    /// A node of a graph.
    pub(crate) CUgraphNode = CUgraphNode_st;
    /// An instantiated graph.
    pub(crate) CUgraphExec = CUgraphExec_st;
    /// A memory pool.
    pub(crate) CUmemoryPool = CUmemPoolHandle_st;
    /// An array for textures.
    pub(crate) CUarray = CUarray_st;
}

/// A device.
pub(crate) type CUdevice = c_int;

/// An address of device memory.
pub type CUdeviceptr = c_ulonglong;

/// Declares enumerations, and in tests the comparison with cudarc's.
macro_rules! enumerations {
    ($($(#[$documented:meta])* $name:ident { $($constant:ident = $value:literal,)* })*) => {
        $(
            $(#[$documented])*
            #[repr(transparent)]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub(crate) struct $name(pub(crate) c_uint);

            impl $name {
                $(pub(crate) const $constant: $name = $name($value);)*
            }
        )*

        #[test]
        fn constants_are_those_of_the_header() {
            use cudarc::driver::sys;
            $($(assert_eq!($value, sys::$name::$constant as c_uint, stringify!($constant));)*)*
        }
    };
}

enumerations! {
    /// A device attribute.
    CUdevice_attribute {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
        CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
        CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
        CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
        CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
        CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
        CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
        CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
        CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
        CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
    }

    /// A function attribute.
    CUfunction_attribute {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
        CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
        CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
        CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
    }

    /// An option of loading a module.
    CUjit_option {
        CU_JIT_ERROR_LOG_BUFFER = 5,
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    }

    /// The name of a launch attribute.
    CUlaunchAttributeID {
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
        CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
    }

    /// A kind of memory.
    CUmemorytype {
        CU_MEMORYTYPE_HOST = 1,
        CU_MEMORYTYPE_DEVICE = 2,
    }

    /// An attribute of a memory pool.
    CUmemPool_attribute {
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
    }

    /// A kind of location of memory.
    CUmemLocationType {
        CU_MEM_LOCATION_TYPE_DEVICE = 1,
    }

    /// Access rights.
    CUmemAccess_flags {
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
    }
}

/// The dimensions of a cluster, in blocks.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ClusterDim {
    pub(crate) x: c_uint,
    pub(crate) y: c_uint,
    pub(crate) z: c_uint,
}

/// The value of a launch attribute: 64 bytes, of whose meanings these are used.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union CUlaunchAttributeValue {
    pub(crate) clusterDim: ClusterDim,
    pub(crate) cooperative: c_int,
    /// The alignment and size of the whole union. Its largest members hold pointers.
    _size: [u64; 8],
}

/// A launch attribute.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct CUlaunchAttribute {
    pub(crate) id: CUlaunchAttributeID,
    pub(crate) pad: [c_char; 4],
    pub(crate) value: CUlaunchAttributeValue,
}

/// The configuration of `cuLaunchKernelEx`.
#[repr(C)]
pub(crate) struct CUlaunchConfig {
    pub(crate) gridDimX: c_uint,
    pub(crate) gridDimY: c_uint,
    pub(crate) gridDimZ: c_uint,
    pub(crate) blockDimX: c_uint,
    pub(crate) blockDimY: c_uint,
    pub(crate) blockDimZ: c_uint,
    pub(crate) sharedMemBytes: c_uint,
    pub(crate) hStream: CUstream,
    pub(crate) attrs: *mut CUlaunchAttribute,
    pub(crate) numAttrs: c_uint,
}

/// The parameters of a kernel node.
#[repr(C)]
pub(crate) struct CUDA_KERNEL_NODE_PARAMS_v1 {
    pub(crate) func: CUfunction,
    pub(crate) gridDimX: c_uint,
    pub(crate) gridDimY: c_uint,
    pub(crate) gridDimZ: c_uint,
    pub(crate) blockDimX: c_uint,
    pub(crate) blockDimY: c_uint,
    pub(crate) blockDimZ: c_uint,
    pub(crate) sharedMemBytes: c_uint,
    pub(crate) kernelParams: *mut *mut c_void,
    pub(crate) extra: *mut *mut c_void,
}

/// The parameters of a copy node.
#[repr(C)]
pub(crate) struct CUDA_MEMCPY3D {
    pub(crate) srcXInBytes: usize,
    pub(crate) srcY: usize,
    pub(crate) srcZ: usize,
    pub(crate) srcLOD: usize,
    pub(crate) srcMemoryType: CUmemorytype,
    pub(crate) srcHost: *const c_void,
    pub(crate) srcDevice: CUdeviceptr,
    pub(crate) srcArray: CUarray,
    pub(crate) reserved0: *mut c_void,
    pub(crate) srcPitch: usize,
    pub(crate) srcHeight: usize,
    pub(crate) dstXInBytes: usize,
    pub(crate) dstY: usize,
    pub(crate) dstZ: usize,
    pub(crate) dstLOD: usize,
    pub(crate) dstMemoryType: CUmemorytype,
    pub(crate) dstHost: *mut c_void,
    pub(crate) dstDevice: CUdeviceptr,
    pub(crate) dstArray: CUarray,
    pub(crate) reserved1: *mut c_void,
    pub(crate) dstPitch: usize,
    pub(crate) dstHeight: usize,
    pub(crate) WidthInBytes: usize,
    pub(crate) Height: usize,
    pub(crate) Depth: usize,
}

/// The parameters of a memset node.
#[repr(C)]
pub(crate) struct CUDA_MEMSET_NODE_PARAMS {
    pub(crate) dst: CUdeviceptr,
    pub(crate) pitch: usize,
    pub(crate) value: c_uint,
    pub(crate) elementSize: c_uint,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// The access rights of a device to a memory pool.
#[repr(C)]
pub(crate) struct CUmemAccessDesc {
    pub(crate) location_type: CUmemLocationType,
    pub(crate) location_id: c_int,
    pub(crate) flags: CUmemAccess_flags,
}

#[cfg(test)]
mod tests {
    use std::mem::{align_of, offset_of, size_of};

    use cudarc::driver::sys;

    /// Compares the size, the alignment, and the offset and size of the fields of a type with cudarc's.
    macro_rules! assert_layout {
        ($name:ident, $theirs:path { $($field:ident),* $(,)? }) => {
            let name = stringify!($name);
            assert_eq!(size_of::<super::$name>(), size_of::<$theirs>(), "{name}");
            assert_eq!(align_of::<super::$name>(), align_of::<$theirs>(), "{name}");
            $(
                let field = concat!(stringify!($name), ".", stringify!($field));
                assert_eq!(offset_of!(super::$name, $field), offset_of!($theirs, $field), "{field}");
            )*
        };
    }

    #[test]
    fn layouts_are_those_of_the_header() {
        assert_layout!(CUdevice, sys::CUdevice {});
        assert_layout!(CUdeviceptr, sys::CUdeviceptr {});
        assert_layout!(CUlaunchAttributeValue, sys::CUlaunchAttributeValue { clusterDim, cooperative });
        assert_layout!(ClusterDim, sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z });
        assert_layout!(CUlaunchAttribute, sys::CUlaunchAttribute { id, pad, value });
        assert_layout!(
            CUlaunchConfig,
            sys::CUlaunchConfig {
                gridDimX,
                gridDimY,
                gridDimZ,
                blockDimX,
                blockDimY,
                blockDimZ,
                sharedMemBytes,
                hStream,
                attrs,
                numAttrs,
            }
        );
        assert_layout!(
            CUDA_KERNEL_NODE_PARAMS_v1,
            sys::CUDA_KERNEL_NODE_PARAMS_v1 {
                func,
                gridDimX,
                gridDimY,
                gridDimZ,
                blockDimX,
                blockDimY,
                blockDimZ,
                sharedMemBytes,
                kernelParams,
                extra,
            }
        );
        assert_layout!(
            CUDA_MEMCPY3D,
            sys::CUDA_MEMCPY3D {
                srcXInBytes,
                srcY,
                srcZ,
                srcLOD,
                srcMemoryType,
                srcHost,
                srcDevice,
                srcArray,
                reserved0,
                srcPitch,
                srcHeight,
                dstXInBytes,
                dstY,
                dstZ,
                dstLOD,
                dstMemoryType,
                dstHost,
                dstDevice,
                dstArray,
                reserved1,
                dstPitch,
                dstHeight,
                WidthInBytes,
                Height,
                Depth,
            }
        );
        assert_layout!(
            CUDA_MEMSET_NODE_PARAMS,
            sys::CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height }
        );
        assert_eq!(size_of::<super::CUmemAccessDesc>(), size_of::<sys::CUmemAccessDesc>());
    }
}
