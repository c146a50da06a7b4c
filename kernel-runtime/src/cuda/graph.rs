//! A CUDA graph that is ready to be launched: kernels, copies and fills with zeros, and which of them wait for which.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use cudarc::driver::sys::{
    CUDA_KERNEL_NODE_PARAMS_v1 as KernelParams, CUDA_MEMCPY3D as CopyParams, CUDA_MEMSET_NODE_PARAMS as ClearParams,
    CUdeviceptr, CUgraph, CUgraphExec, CUgraphNode, CUmemorytype,
};

use super::geometry::Geometry;
use super::module::Module;
use super::primary::Primary;
use super::refusal::Refusal;
use super::stream::Stream;

/// A graph in the form that the driver launches.
pub(crate) struct Graph {
    primary: Arc<Primary>,
    nodes: Vec<CUgraphNode>,
    /// What the nodes belong to; null until it was made.
    raw: CUgraph,
    executable: CUgraphExec,
}

// SAFETY: the handles may be used from any thread (the driver asks that no two use a graph at once: what changes one takes
// `&mut self`); each method makes the context current to its thread first.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Sync for Graph {}

/// What a node does.
pub(crate) enum Node<'a> {
    /// Runs a kernel.
    Kernel {
        module: &'a Module,
        geometry: &'a Geometry,
        /// A pointer for each parameter. The driver copies what they point to.
        parameters: &'a mut [*mut c_void],
    },
    /// Copies bytes.
    Copy(Copy),
    /// Sets 8 bytes to zero.
    Clear { to: CUdeviceptr },
}

/// A copy of so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub(crate) way: Way,
    pub(crate) to: CUdeviceptr,
    pub(crate) from: CUdeviceptr,
    pub(crate) bytes: usize,
}

/// From where to where a copy goes. Addresses of the host are those of page-locked memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    OnDevice,
    ToDevice,
    ToHost,
}

impl Graph {
    /// Builds a graph. `node` gives the nodes, of which there are `count`, and those before it that each one waits for.
    ///
    /// # Safety
    ///
    /// What is true of [`Module::launch`] and of the copies of a [`Stream`] is true of the nodes, whenever the graph is
    /// launched.
    pub(crate) unsafe fn build<'w>(
        stream: &Stream,
        count: usize,
        mut node: impl FnMut(usize, &mut dyn FnMut(Node<'_>) -> Result<(), Refusal>) -> Result<(), Refusal>,
        waits: impl Fn(usize) -> &'w [usize],
    ) -> Result<Graph, Refusal> {
        let primary = stream.shared_primary();
        primary.bind()?;
        let driver = primary.driver;
        let (raw, executable) = (std::ptr::null_mut(), std::ptr::null_mut());
        // From here on it destroys what was made.
        let mut graph = Graph { primary, nodes: Vec::with_capacity(count), raw, executable };
        // SAFETY: the pointer is valid for the write, and no flags are defined.
        unsafe { driver.cuGraphCreate(&raw mut graph.raw, 0) }?;
        for i in 0..count {
            let before: Vec<CUgraphNode> = waits(i).iter().map(|&j| graph.nodes[j]).collect();
            // SAFETY: the caller's promise; those waited for are nodes of this graph.
            node(i, &mut |node| unsafe { graph.add(node, &before) })?;
        }
        // SAFETY: the pointer is valid for the write, and the graph is whole.
        unsafe { driver.cuGraphInstantiateWithFlags(&raw mut graph.executable, graph.raw, 0) }?;
        Ok(graph)
    }

    /// # Safety
    ///
    /// As for [`Graph::build`]; the context is current.
    unsafe fn add(&mut self, node: Node<'_>, before: &[CUgraphNode]) -> Result<(), Refusal> {
        let Graph { primary, nodes: _, raw, executable: _ } = self;
        let (driver, context) = (primary.driver, primary.raw);
        let (waits, count) = (before.as_ptr(), before.len());
        let mut added = std::ptr::null_mut();
        match node {
            Node::Kernel { module, geometry, parameters } => {
                let params = kernel_params(module, geometry, parameters)?;
                // SAFETY: the caller's promise; the pointers are valid for the call.
                unsafe { driver.cuGraphAddKernelNode(&raw mut added, *raw, waits, count, &raw const params) }?;
                module.allow_cluster(geometry)?;
                for attribute in geometry.attributes() {
                    let (id, value) = (attribute.id, &raw const attribute.value);
                    // SAFETY: the node was added just now, and the value is that of the attribute.
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

    /// Changes what a node does in launches to come. It has to be of the same sort, and a kernel the same, with or without
    /// clusters and cooperation.
    ///
    /// # Safety
    ///
    /// As for [`Graph::build`].
    pub(crate) unsafe fn set(&mut self, number: usize, node: Node<'_>) -> Result<(), Refusal> {
        self.primary.bind()?;
        let Graph { primary, nodes, raw: _, executable } = self;
        let (driver, context, target) = (primary.driver, primary.raw, nodes[number]);
        match node {
            Node::Kernel { module, geometry, parameters } => {
                let params = kernel_params(module, geometry, parameters)?;
                // SAFETY: the caller's promise; the node is one of a kernel.
                unsafe { driver.cuGraphExecKernelNodeSetParams(*executable, target, &raw const params) }
            }
            Node::Copy(copy) => {
                let params = copy_params(copy);
                // SAFETY: the caller's promise; the node is one of a copy.
                unsafe { driver.cuGraphExecMemcpyNodeSetParams(*executable, target, &raw const params, context) }
            }
            Node::Clear { to } => {
                let params = clear_params(to);
                // SAFETY: the caller's promise; the node is one of a fill.
                unsafe { driver.cuGraphExecMemsetNodeSetParams(*executable, target, &raw const params, context) }
            }
        }
    }

    /// Launches the graph. The next launch of it begins when this one is over.
    ///
    /// # Safety
    ///
    /// As for [`Graph::build`]; the stream is one of the same GPU.
    pub(crate) unsafe fn launch(&self, stream: &Stream) -> Result<(), Refusal> {
        self.primary.bind()?;
        // SAFETY: the caller's promise.
        unsafe { self.primary.driver.cuGraphLaunch(self.executable, stream.raw()) }
    }
}

fn kernel_params(
    module: &Module,
    geometry: &Geometry,
    parameters: &mut [*mut c_void],
) -> Result<KernelParams, Refusal> {
    module.allow_shared(geometry.shared_bytes)?;
    Ok(geometry.node(module.function(), parameters))
}

/// A copy of one row of bytes.
fn copy_params(Copy { way, to, from, bytes }: Copy) -> CopyParams {
    let (host, device) = (CUmemorytype::CU_MEMORYTYPE_HOST, CUmemorytype::CU_MEMORYTYPE_DEVICE);
    let (source, target) = match way {
        Way::OnDevice => (device, device),
        Way::ToDevice => (host, device),
        Way::ToHost => (device, host),
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
                // A graph that is running is destroyed when it is over (CUDA Driver API, `cuGraphExecDestroy`).
                // SAFETY: it was made by `build`, and nobody else has it.
                unsafe { driver.cuGraphExecDestroy(self.executable) }?;
            }
            if !self.raw.is_null() {
                // SAFETY: as above.
                unsafe { driver.cuGraphDestroy(self.raw) }?;
            }
            Ok(())
        };
        if let Err(refusal) = destroy() {
            self.primary.note_dropped(refusal);
        }
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("nodes", &self.nodes.len()).finish_non_exhaustive()
    }
}
