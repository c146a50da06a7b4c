//! Launch geometry in the driver's representation.

use std::ffi::{c_int, c_void};

use crate::sys::{
    CUDA_KERNEL_NODE_PARAMS_v1 as KernelParams, CUfunction, CUlaunchAttribute, CUlaunchAttributeID,
    CUlaunchAttributeValue, CUlaunchConfig, CUstream, ClusterDim,
};
use smallvec::SmallVec;

/// A launch configuration in the driver's representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The grid dimensions in blocks.
    pub grid: [u32; 3],
    /// The block dimensions in threads.
    pub block: [u32; 3],
    /// The cluster size in blocks, for clustered launches.
    pub cluster: Option<[u32; 3]>,
    /// Dynamic shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// Cooperative launch: all blocks have to be resident at once.
    pub cooperative: bool,
}

/// The properties of a launch that are passed as launch attributes.
pub(crate) type LaunchAttributes = SmallVec<[CUlaunchAttribute; 2]>;

impl Geometry {
    #[inline]
    pub(crate) fn block_threads(&self) -> u32 {
        self.block.iter().product()
    }

    #[inline]
    pub(crate) fn cluster_blocks(&self) -> u32 {
        self.cluster.map_or(1, |cluster| cluster.iter().product())
    }

    /// Returns the launch attributes for clusters and for a cooperative launch.
    pub(crate) fn attributes(&self) -> LaunchAttributes {
        let attribute = |id, value| CUlaunchAttribute { id, pad: [0; 4], value };
        let cluster = self.cluster.map(|[x, y, z]| {
            attribute(
                CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                CUlaunchAttributeValue { clusterDim: ClusterDim { x, y, z } },
            )
        });
        let cooperative = self.cooperative.then(|| {
            attribute(
                CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                CUlaunchAttributeValue { cooperative: c_int::from(true) },
            )
        });
        cluster.into_iter().chain(cooperative).collect()
    }

    /// Returns the configuration for `cuLaunchKernelEx`, which refers to `attributes`.
    pub(crate) fn config(&self, stream: CUstream, attributes: &mut LaunchAttributes) -> CUlaunchConfig {
        let &Geometry { grid, block, cluster: _, shared_bytes, cooperative: _ } = self;
        CUlaunchConfig {
            gridDimX: grid[0],
            gridDimY: grid[1],
            gridDimZ: grid[2],
            blockDimX: block[0],
            blockDimY: block[1],
            blockDimZ: block[2],
            sharedMemBytes: shared_bytes,
            hStream: stream,
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as u32,
        }
    }

    /// Returns the parameters of a kernel node, without attributes. They refer to `parameters`.
    pub(crate) fn node(&self, function: CUfunction, parameters: &mut [*mut c_void]) -> KernelParams {
        let &Geometry { grid, block, cluster: _, shared_bytes, cooperative: _ } = self;
        KernelParams {
            func: function,
            gridDimX: grid[0],
            gridDimY: grid[1],
            gridDimZ: grid[2],
            blockDimX: block[0],
            blockDimY: block[1],
            blockDimZ: block[2],
            sharedMemBytes: shared_bytes,
            kernelParams: parameters.as_mut_ptr(),
            extra: std::ptr::null_mut(),
        }
    }
}
