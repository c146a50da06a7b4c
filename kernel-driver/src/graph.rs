//! Executable CUDA graphs: kernel, copy and memset nodes with their dependencies.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use crate::sys::{
    CUDA_KERNEL_NODE_PARAMS_v1 as KernelParams, CUDA_MEMCPY3D as CopyParams, CUDA_MEMSET_NODE_PARAMS as ClearParams,
    CUdeviceptr, CUgraph, CUgraphExec, CUgraphNode, CUmemorytype,
};

use crate::error::CudaError;
use crate::module::Geometry;
use crate::module::Module;
use crate::primary_context::PrimaryContext;
use crate::stream::Stream;

/// An instantiated graph.
pub struct Graph {
    primary: Arc<PrimaryContext>,
    nodes: Vec<CUgraphNode>,
    /// The graph that owns the nodes; null until it is created.
    raw: CUgraph,
    executable: CUgraphExec,
}

// SAFETY: the handles may be used from any thread (the driver requires that a graph is not accessed concurrently:
// methods that change it take `&mut self`); each method first makes the context current to its thread.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Sync for Graph {}

/// The operation of a graph node.
pub enum Node<'a> {
    /// A kernel launch.
    Kernel {
        /// The kernel.
        module: &'a Module,
        /// The launch configuration.
        geometry: &'a Geometry,
        /// A pointer to each parameter value, which the driver copies.
        parameters: &'a mut [*mut c_void],
    },
    /// A copy of bytes.
    Copy(Copy),
    /// A memset of 8 bytes to zero.
    Clear {
        /// The address.
        to: CUdeviceptr,
    },
}

/// The endpoints and the size of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// The direction.
    pub direction: CopyDirection,
    /// The target address.
    pub to: CUdeviceptr,
    /// The source address.
    pub from: CUdeviceptr,
    /// The size in bytes.
    pub bytes: usize,
}

/// The direction of a copy. Host addresses refer to page-locked memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyDirection {
    /// Between addresses of the device.
    DeviceToDevice,
    /// From the host to the device.
    HostToDevice,
    /// From the device to the host.
    DeviceToHost,
}

impl Graph {
    /// Builds a graph of `count` nodes. `node` supplies each node, and `waits` the earlier nodes that it depends on.
    ///
    /// # Safety
    ///
    /// Whenever the graph is launched, its nodes satisfy the requirements of [`Module::launch`] and of the copies of a
    /// [`Stream`], and the modules of its kernels are loaded.
    pub unsafe fn build<'w>(
        stream: &Stream,
        count: usize,
        mut node: impl FnMut(usize, &mut dyn FnMut(Node<'_>) -> Result<(), CudaError>) -> Result<(), CudaError>,
        waits: impl Fn(usize) -> &'w [usize],
    ) -> Result<Graph, CudaError> {
        let primary = stream.shared_primary();
        primary.bind()?;
        let driver = primary.driver;
        let (raw, executable) = (std::ptr::null_mut(), std::ptr::null_mut());
        // From here on, dropping the graph destroys what has been created.
        let mut graph = Graph { primary, nodes: Vec::with_capacity(count), raw, executable };
        // SAFETY: the pointer is valid for the write, and no flags are defined.
        unsafe { driver.cuGraphCreate(&raw mut graph.raw, 0) }?;
        for i in 0..count {
            let dependencies: Vec<CUgraphNode> = waits(i).iter().map(|&j| graph.nodes[j]).collect();
            // SAFETY: upheld by the caller; the dependencies are nodes of this graph.
            node(i, &mut |node| unsafe { graph.add(node, &dependencies) })?;
        }
        // SAFETY: the pointer is valid for the write, and the graph is complete.
        unsafe { driver.cuGraphInstantiateWithFlags(&raw mut graph.executable, graph.raw, 0) }?;
        Ok(graph)
    }

    /// # Safety
    ///
    /// As for [`Graph::build`]; the context is current.
    unsafe fn add(&mut self, node: Node<'_>, dependencies: &[CUgraphNode]) -> Result<(), CudaError> {
        let Graph { primary, nodes: _, raw, executable: _ } = self;
        let (driver, context) = (primary.driver, primary.raw);
        let (waits, count) = (dependencies.as_ptr(), dependencies.len());
        let mut added = std::ptr::null_mut();
        match node {
            Node::Kernel { module, geometry, parameters } => {
                let params = kernel_params(module, geometry, parameters)?;
                // SAFETY: upheld by the caller; the pointers are valid for the call.
                unsafe { driver.cuGraphAddKernelNode(&raw mut added, *raw, waits, count, &raw const params) }?;
                module.allow_cluster(geometry)?;
                for attribute in geometry.attributes() {
                    let (id, value) = (attribute.id, &raw const attribute.value);
                    // SAFETY: the node was added just above, and the value is that of the attribute.
                    unsafe { driver.cuGraphKernelNodeSetAttribute(added, id, value) }?;
                }
            }
            Node::Copy(copy) => {
                let params = copy_params(copy);
                // SAFETY: as above.
                unsafe { driver.cuGraphAddMemcpyNode(&raw mut added, *raw, waits, count, &raw const params, context) }?;
            }
            Node::Clear { to } => {
                let params = clear_params(to);
                // SAFETY: as above.
                unsafe { driver.cuGraphAddMemsetNode(&raw mut added, *raw, waits, count, &raw const params, context) }?;
            }
        }
        self.nodes.push(added);
        Ok(())
    }

    /// Updates a node for later launches. The kind of the node, its cluster, and whether it is cooperative must not
    /// change. The driver may reject another function.
    ///
    /// # Safety
    ///
    /// As for [`Graph::build`].
    pub unsafe fn set(&mut self, number: usize, node: Node<'_>) -> Result<(), CudaError> {
        self.primary.bind()?;
        let Graph { primary, nodes, raw: _, executable } = self;
        let (driver, context, target) = (primary.driver, primary.raw, nodes[number]);
        match node {
            Node::Kernel { module, geometry, parameters } => {
                let params = kernel_params(module, geometry, parameters)?;
                module.allow_cluster(geometry)?;
                // SAFETY: upheld by the caller; the node is a kernel node.
                unsafe { driver.cuGraphExecKernelNodeSetParams(*executable, target, &raw const params) }
            }
            Node::Copy(copy) => {
                let params = copy_params(copy);
                // SAFETY: upheld by the caller; the node is a copy node.
                unsafe { driver.cuGraphExecMemcpyNodeSetParams(*executable, target, &raw const params, context) }
            }
            Node::Clear { to } => {
                let params = clear_params(to);
                // SAFETY: upheld by the caller; the node is a memset node.
                unsafe { driver.cuGraphExecMemsetNodeSetParams(*executable, target, &raw const params, context) }
            }
        }
    }

    /// Enqueues the graph. Launches of the same graph are serialised by the driver.
    ///
    /// # Safety
    ///
    /// As for [`Graph::build`]; the stream is one of the same GPU.
    pub unsafe fn launch(&self, stream: &Stream) -> Result<(), CudaError> {
        self.primary.bind()?;
        // SAFETY: upheld by the caller.
        unsafe { self.primary.driver.cuGraphLaunch(self.executable, stream.raw()) }
    }
}

fn kernel_params(
    module: &Module,
    geometry: &Geometry,
    parameters: &mut [*mut c_void],
) -> Result<KernelParams, CudaError> {
    module.allow_shared(geometry.shared_bytes)?;
    Ok(geometry.node(module.function(), parameters))
}

/// Returns the parameters of a one-dimensional copy.
fn copy_params(Copy { direction, to, from, bytes }: Copy) -> CopyParams {
    let (host, device) = (CUmemorytype::CU_MEMORYTYPE_HOST, CUmemorytype::CU_MEMORYTYPE_DEVICE);
    let (source, target) = match direction {
        CopyDirection::DeviceToDevice => (device, device),
        CopyDirection::HostToDevice => (host, device),
        CopyDirection::DeviceToHost => (device, host),
    };
    CopyParams {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: source,
        srcHost: std::ptr::with_exposed_provenance(from as usize),
        srcDevice: from,
        srcArray: std::ptr::null_mut(),
        reserved0: std::ptr::null_mut(),
        srcPitch: 0,
        srcHeight: 0,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: target,
        dstHost: std::ptr::with_exposed_provenance_mut(to as usize),
        dstDevice: to,
        dstArray: std::ptr::null_mut(),
        reserved1: std::ptr::null_mut(),
        dstPitch: 0,
        dstHeight: 0,
        WidthInBytes: bytes,
        Height: 1,
        Depth: 1,
    }
}

fn clear_params(to: CUdeviceptr) -> ClearParams {
    ClearParams { dst: to, pitch: 0, value: 0, elementSize: 4, width: 2, height: 1 }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let destroy = || {
            self.primary.bind()?;
            let driver = self.primary.driver;
            if !self.executable.is_null() {
                // A graph in flight is destroyed once it has completed (CUDA Driver API, `cuGraphExecDestroy`).
                // SAFETY: created by `build`, and not shared.
                unsafe { driver.cuGraphExecDestroy(self.executable) }?;
            }
            if !self.raw.is_null() {
                // SAFETY: as above.
                unsafe { driver.cuGraphDestroy(self.raw) }?;
            }
            Ok(())
        };
        if let Err(error) = destroy() {
            self.primary.note_drop_error(error);
        }
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("nodes", &self.nodes.len()).finish_non_exhaustive()
    }
}
