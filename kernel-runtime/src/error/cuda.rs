//! Conversions of the driver layer's errors.

use super::{CompileError, DeviceError, DriverFailure, Error};
use crate::cuda::{
    self, CudaError, Driver, NoDisassembler, NoDriver, NotAnArchitecture, OpenError, SearchError,
    UnsupportedArchitecture,
};

impl From<CudaError> for Error {
    #[cold]
    fn from(error: CudaError) -> Error {
        match Driver::get() {
            Ok(driver) => Error::Driver {
                call: error.call,
                code: error.code,
                name: driver.error_name(error),
                message: driver.error_description(error),
            },
            Err(no_driver) => no_driver.into(),
        }
    }
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Error {
        match error {
            OpenError::NoDriver(error) => error.into(),
            OpenError::NoSuchDevice { ordinal, count } => DeviceError::NoSuchDevice { ordinal, count }.into(),
            OpenError::Cuda(error) => error.into(),
        }
    }
}

impl From<NoDriver> for Error {
    fn from(error: NoDriver) -> Error {
        DeviceError::from(error).into()
    }
}

impl From<NoDriver> for DeviceError {
    fn from(NoDriver { searched, reason }: NoDriver) -> DeviceError {
        let reason = match reason {
            cuda::DriverFailure::NotLoaded { message } => DriverFailure::NotLoaded { message },
            cuda::DriverFailure::Incomplete { library, function } => DriverFailure::Incomplete { library, function },
            cuda::DriverFailure::Init { code, name, message } => DriverFailure::Init { code, name, message },
        };
        DeviceError::NoDriver { searched, reason }
    }
}

impl From<SearchError> for CompileError {
    fn from(error: SearchError) -> CompileError {
        match error {
            SearchError::NoNvrtc { searched, driver } => CompileError::NoNvrtc { searched, driver },
            SearchError::BadNvrtc { path, reason } => CompileError::BadNvrtc { path, reason },
        }
    }
}

impl From<UnsupportedArchitecture> for CompileError {
    fn from(error: UnsupportedArchitecture) -> CompileError {
        let UnsupportedArchitecture { architecture, version, reason } = error;
        CompileError::UnsupportedArchitecture { architecture, version, reason }
    }
}

impl From<NotAnArchitecture> for CompileError {
    fn from(NotAnArchitecture { name }: NotAnArchitecture) -> CompileError {
        CompileError::NotAnArchitecture { name }
    }
}

impl From<NotAnArchitecture> for Error {
    fn from(error: NotAnArchitecture) -> Error {
        CompileError::from(error).into()
    }
}

impl From<NoDisassembler> for CompileError {
    fn from(NoDisassembler { searched }: NoDisassembler) -> CompileError {
        CompileError::NoDisassembler { searched }
    }
}
