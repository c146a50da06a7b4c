//! Packed accesses: the elements of consecutive items as one access of up to 16 bytes.
//!
//! A thread that executes consecutive items, instead of those of adjacent blocks, can load their elements of an array at once.
//! That takes a fraction of the instructions, and for elements of one or two bytes keeps more bytes in flight. The items
//! of a group of blocks are the same, whichever thread executes them.
//!
//! A kernel allows it if its geometry is used only in `blockIdx.x * blockDim.x + threadIdx.x`, the index of an item, and the item
//! accesses each array either at that index or at the same index as all other items. A launch uses it if the arrays are aligned
//! to the access, which parts of arrays need not be: its group of blocks is in the grid, and all of its threads decide alike.
//!
//! ```text
//! const bool is_packed = first + 4 <= launch.blocks & rt::is_aligned(x, 16) & rt::is_aligned(y, 16);
//! if (is_packed) {
//!     const usize i = first * blockDim.x + threadIdx.x * 4;       .. + 1, + 2, + 3
//!     if (i_4 < n) {                                              the guards of all items hold
//!         rt::Array<float, 4> packed;
//!         rt::load_packed(&x[i], packed);
//!         const float loaded = packed[0];                         ..
//!         rt::store_packed(&y[i], rt::Array<float, 4>{{f(loaded), f(loaded_2), ..}});
//!         return;
//!     }
//! }
//! ..                                                              otherwise: one item after another, the same ones
//! ```

use crate::ir::Scalar;
use crate::lower::{Body, CType, Expr, Function, Helper, Module, Op, Operator, Stmt, StmtKind, VarId, Variable};
use crate::set::Set;
use litemap::LiteMap;

use super::legality::each;
use super::split::Item;

/// The size of the widest access of a thread, in bytes.
pub(super) const WIDEST: u64 = 16;

const IS_ALIGNED: Helper = Helper { op: Op::IsAligned, scalar: Scalar::U64 };
pub(super) const LOAD: Helper = Helper { op: Op::LoadPacked, scalar: Scalar::U64 };
pub(super) const STORE: Helper = Helper { op: Op::StorePacked, scalar: Scalar::U64 };

/// The helpers of packed accesses.
pub(super) const HELPERS: [Helper; 3] = [IS_ALIGNED, LOAD, STORE];

/// The accesses of an item that can be packed.
pub(super) struct Packing {
    /// The variables whose value is the index of the item, with the number of its bits.
    indices: LiteMap<u32, u32>,
    /// The parameters, and the variables whose value depends on nothing else.
    uniform: Set<u32>,
    /// The arrays that are loaded and stored at that index, by their parameters.
    pub(super) loads: LiteMap<u32, Access>,
    pub(super) stores: LiteMap<u32, Access>,
}

/// An access at the index of the item.
pub(super) struct Access {
    /// The type of an element.
    pub(super) scalar: Scalar,
    /// An expression for the index.
    pub(super) index: Expr,
}

impl Packing {
    /// Returns the accesses of an item; `None` if they cannot be packed. `stmts` are all statements of the kernel.
    pub(super) fn of(module: &Module, item: &Item, stmts: &[Stmt]) -> Option<Packing> {
        let params: Set<u32> = module.kernel.params.iter().map(|param| param.0).collect();
        let (indices, uniform) = (LiteMap::new(), params.clone());
        let mut packing = Packing { indices, uniform, loads: LiteMap::new(), stores: LiteMap::new() };
        each(stmts, &mut |stmt| {
            if let StmtKind::Declare { var, init: Some(init) } = &stmt.kind
                && item.vars[var.index()].constant
            {
                if let Some(bits) = packing.index_bits(init) {
                    packing.indices.insert(var.0, bits);
                } else if packing.is_uniform(init) {
                    packing.uniform.insert(var.0);
                }
            }
        });
        let mut is_linear = true;
        each(stmts, &mut |stmt| stmt.for_each_expr(&mut |expr| is_linear &= packing.is_linear(expr, &item.vars)));
        // A device function would read the thread of the item.
        is_linear &= !module.functions.values().any(reads_thread);
        if !is_linear {
            return None;
        }
        let accesses = Accesses { params: &params, vars: &item.vars, packing: &packing };
        let mut loads = LiteMap::new();
        for stmt in item.levels.iter().flat_map(|level| &level.prefix) {
            stmt.for_each_expr(&mut |expr| is_linear &= accesses.loads(expr, &mut LiteMap::new()) == Some(0));
        }
        for level in &item.levels {
            is_linear &= accesses.loads(&level.guard, &mut LiteMap::new()) == Some(0);
        }
        for stmt in &item.early {
            stmt.for_each_expr(&mut |expr| is_linear &= accesses.loads(expr, &mut loads).is_some());
        }
        let mut stores = LiteMap::new();
        for stmt in &item.late {
            let value = match &stmt.kind {
                StmtKind::Declare { var, init: Some(init) } if item.vars[var.index()].constant => init,
                StmtKind::Assign { place, value } => {
                    let (param, access) = accesses.packed(place)?;
                    if stores.insert(param, access).is_some() {
                        return None;
                    }
                    value
                }
                _ => return None,
            };
            is_linear &= accesses.loads(value, &mut LiteMap::new()) == Some(0);
        }
        (is_linear && !loads.is_empty() && !stores.is_empty()).then_some(Packing { loads, stores, ..packing })
    }

    /// Returns the condition under which the accesses of this many items are packed.
    pub(super) fn condition(&self, is_whole: Expr, factor: u32) -> Expr {
        let accesses = self.loads.iter().chain(self.stores.iter());
        // An array may be loaded and stored.
        let alignments: LiteMap<u32, u64> = accesses
            .map(|(param, access)| (*param, (u64::from(access.scalar.bits() / 8 * factor)).min(WIDEST)))
            .collect();
        // Without branches: nothing is loaded before they are decided.
        alignments.iter().fold(is_whole, |condition, (param, bytes)| {
            let bytes = Expr::int(Scalar::U32, *bytes);
            let is_aligned = Expr::helper(IS_ALIGNED, vec![Expr::Var(VarId(*param)), bytes]);
            Expr::binary(Operator::And, condition, is_aligned)
        })
    }

    /// Returns the parts of a guard, each with whether it holds for all items of a thread if it holds for the last one: it demands
    /// that the index be below a bound. The indices of a thread are consecutive, also where the index of an item wraps, since the
    /// first one is a multiple of their number.
    pub(super) fn parts<'e>(&self, guard: &'e Expr, found: &mut Vec<(&'e Expr, bool)>) {
        match guard {
            Expr::Binary(Operator::Both, left, right) => {
                self.parts(left, found);
                self.parts(right, found);
            }
            Expr::Binary(Operator::Lt | Operator::Le, index, bound)
            | Expr::Binary(Operator::Gt | Operator::Ge, bound, index) => {
                found.push((guard, self.is_index(index) && self.is_uniform(bound)));
            }
            other => found.push((other, false)),
        }
    }

    /// Returns whether an expression is the same for all items.
    fn is_uniform(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Literal(..) => true,
            Expr::Special(name) => matches!(*name, "blockDim.x" | "gridDim.x"),
            Expr::Var(var) => self.uniform.contains(&var.0),
            Expr::Cast(_, operand) => self.is_uniform(operand),
            Expr::Binary(_, left, right) => self.is_uniform(left) && self.is_uniform(right),
            _ => false,
        }
    }

    /// Returns whether a statement accesses an array at the index of the item.
    pub(super) fn accesses(&self, param: u32, stmt: &Stmt) -> bool {
        let mut found = false;
        let is_access = |expr: &Expr| match expr {
            Expr::Index(array, index) => **array == Expr::Var(VarId(param)) && self.is_index(index),
            _ => false,
        };
        stmt.for_each_expr(&mut |expr| expr.for_each(&mut |part| found |= is_access(part)));
        found
    }

    /// Returns whether an expression is the index of the item.
    pub(super) fn is_index(&self, expr: &Expr) -> bool {
        self.index_bits(expr).is_some()
    }

    /// Returns the number of bits of an expression that is the index of the item, modulo the range of its type. Only conversions
    /// that keep all of them are part of it, so that such expressions are equal, and consecutive for consecutive items.
    fn index_bits(&self, expr: &Expr) -> Option<u32> {
        match expr {
            Expr::Var(var) => self.indices.get(&var.0).copied(),
            Expr::Cast(CType::Scalar(to), operand) => {
                let bits = self.index_bits(operand)?;
                (to.is_integer() && to.bits() >= bits).then_some(to.bits())
            }
            Expr::Binary(Operator::Add, blocks, thread) => {
                let Expr::Binary(Operator::Mul, block, dim) = &**blocks else { return None };
                // A product of fewer bits than the sum could wrap.
                let product = special_bits(block, "blockIdx.x")?.max(special_bits(dim, "blockDim.x")?);
                let thread = special_bits(thread, "threadIdx.x")?;
                (thread <= product).then_some(product)
            }
            _ => None,
        }
    }

    /// Returns whether an expression reads the thread and the block only as the index of the item.
    fn is_linear(&self, expr: &Expr, vars: &[Variable]) -> bool {
        if self.is_index(expr) {
            return true;
        }
        let mut is_linear = match expr {
            Expr::Special(name) => !matches!(*name, "threadIdx.x" | "blockIdx.x"),
            Expr::Var(var) => !matches!(vars[var.index()].ty, CType::Reference { .. }),
            _ => true,
        };
        expr.for_each_child(&mut |child| is_linear = is_linear && self.is_linear(child, vars));
        is_linear
    }
}

/// Returns whether a function reads the index of the thread.
fn reads_thread(function: &Function) -> bool {
    fn reads(expr: &Expr) -> bool {
        let mut found = matches!(expr, Expr::Special("threadIdx.x"));
        expr.for_each_child(&mut |child| found = found || reads(child));
        found
    }
    let Body::Stmts(stmts) = &function.body else { return true };
    let mut found = false;
    each(stmts, &mut |stmt| stmt.for_each_expr(&mut |expr| found |= reads(expr)));
    found
}

/// Returns the number of bits of a built-in variable, which may be converted to a type that holds each of its values.
fn special_bits(expr: &Expr, name: &str) -> Option<u32> {
    match expr {
        Expr::Special(of) if *of == name => Some(32),
        Expr::Cast(CType::Scalar(to), operand) => {
            let is_whole = to.is_integer() && to.bits() >= 32 && matches!(**operand, Expr::Special(of) if of == name);
            is_whole.then_some(to.bits())
        }
        _ => None,
    }
}

/// The accesses of arrays that are parameters.
struct Accesses<'a> {
    params: &'a Set<u32>,
    vars: &'a [Variable],
    packing: &'a Packing,
}

impl Accesses<'_> {
    /// Returns the array of an access that can be packed.
    fn packed(&self, place: &Expr) -> Option<(u32, Access)> {
        let Expr::Index(base, index) = place else { return None };
        let Expr::Var(param) = &**base else { return None };
        let CType::Pointer { target, restrict: true, .. } = &self.vars[param.index()].ty else { return None };
        let CType::Scalar(scalar) = **target else { return None };
        let is_packed = self.params.contains(&param.0) && scalar != Scalar::Bool && self.packing.is_index(index);
        is_packed.then(|| (param.0, Access { scalar, index: (**index).clone() }))
    }

    /// Returns the number of packed loads in an expression, and adds them; `None` if there are other accesses of an item.
    fn loads(&self, expr: &Expr, found: &mut LiteMap<u32, Access>) -> Option<usize> {
        if let Some((param, access)) = self.packed(expr) {
            // The first one: its index is declared where it is.
            if !found.contains_key(&param) {
                found.insert(param, access);
            }
            return Some(1);
        }
        match expr {
            // At the same index for all items.
            Expr::Index(base, index) if matches!(**base, Expr::Var(_)) && self.packing.is_uniform(index) => {
                return Some(0);
            }
            // An array of the thread, or an address: a pointer occurs only as the base of an access.
            Expr::Var(var) if matches!(self.vars[var.index()].ty, CType::Pointer { .. }) => return None,
            Expr::Deref(_) => return None,
            // The element need not exist where it is not loaded.
            Expr::Conditional(condition, then, otherwise) => {
                let unused = &mut LiteMap::new();
                let is_unconditional = self.loads(then, unused) == Some(0) && self.loads(otherwise, unused) == Some(0);
                return if is_unconditional { self.loads(condition, found) } else { None };
            }
            Expr::Binary(Operator::Both | Operator::Either, left, right) => {
                let is_unconditional = self.loads(right, &mut LiteMap::new()) == Some(0);
                return if is_unconditional { self.loads(left, found) } else { None };
            }
            _ => {}
        }
        let mut count = Some(0);
        expr.for_each_child(&mut |child| count = count.and_then(|count| Some(count + self.loads(child, found)?)));
        count
    }
}
