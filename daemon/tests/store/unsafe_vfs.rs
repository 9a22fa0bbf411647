//! A SQLite VFS over the system's own that takes down every write and sync, for a power cut to be played later.
//!
//! This is the one place in the tests with unsafe code: SQLite's file methods are C functions over raw pointers.
//! Each of them does what the system's own does (locks and shared memory too) and, where it changes a file, adds an
//! entry to the record.

#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::{Mutex, Once};

use rusqlite::ffi::{
    SQLITE_OK, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs, sqlite3_vfs_find,
    sqlite3_vfs_register,
};

/// The name of the VFS.
pub const NAME: &str = "recording";
const C_NAME: &CStr = c"recording";

/// Something that happened to a file, or (`Acknowledged`) that somebody was told.
#[derive(Debug, Clone)]
pub enum Event {
    Write {
        path: String,
        offset: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        path: String,
        length: usize,
    },
    Sync {
        path: String,
    },
    Delete {
        path: String,
    },
    Acknowledged(u128),
}

/// What happened to all files, in order, and how they were before.
#[derive(Debug, Clone)]
pub struct Record {
    pub before: BTreeMap<String, Vec<u8>>,
    pub events: Vec<Event>,
    open: BTreeMap<usize, String>,
}

static RECORD: Mutex<Record> = Mutex::new(Record {
    before: BTreeMap::new(),
    events: Vec::new(),
    open: BTreeMap::new(),
});

/// Adds an event of the test's own.
pub fn acknowledged(n: u128) {
    RECORD.lock().unwrap().events.push(Event::Acknowledged(n));
}

/// What happened so far to files in this folder.
pub fn record(folder: &str) -> Record {
    let mut record = RECORD.lock().unwrap().clone();
    record.before.retain(|path, _| path.starts_with(folder));
    record.events.retain(|event| match event {
        Event::Write { path, .. }
        | Event::Truncate { path, .. }
        | Event::Sync { path }
        | Event::Delete { path } => path.starts_with(folder),
        Event::Acknowledged(_) => true,
    });
    record
}

/// Registers the VFS, once.
pub fn register() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the system's VFS lives as long as the process; the copy is leaked and so does too.
        unsafe {
            let system = sqlite3_vfs_find(ptr::null());
            let mut recording = *system;
            recording.zName = C_NAME.as_ptr();
            recording.szOsFile += c_int::try_from(size_of::<Recorded>()).unwrap();
            recording.xOpen = Some(open);
            recording.xDelete = Some(delete);
            recording.pNext = ptr::null_mut();
            assert_eq!(
                sqlite3_vfs_register(Box::leak(Box::new(recording)), 0),
                SQLITE_OK
            );
        }
    });
}

/// A file as SQLite has it of us; the system's own stands right behind it in memory.
#[repr(C)]
struct Recorded {
    base: sqlite3_file,
}

/// The system's own file behind ours, and its methods.
///
/// SAFETY: `file` must be one that `open` made.
unsafe fn real(file: *mut sqlite3_file) -> (*mut sqlite3_file, &'static sqlite3_io_methods) {
    unsafe {
        let real = file.cast::<Recorded>().add(1).cast::<sqlite3_file>();
        (real, &*(*real).pMethods)
    }
}

fn note(file: *mut sqlite3_file, event: impl FnOnce(String) -> Event) {
    let mut record = RECORD.lock().unwrap();
    if let Some(path) = record.open.get(&(file as usize)).cloned() {
        record.events.push(event(path));
    }
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    unsafe {
        let system = sqlite3_vfs_find(ptr::null());
        let real = file.cast::<Recorded>().add(1).cast::<sqlite3_file>();
        let path = (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned());
        if let Some(path) = &path {
            let mut record = RECORD.lock().unwrap();
            let content = std::fs::read(path).unwrap_or_default();
            record.before.entry(path.clone()).or_insert(content);
        }
        let result = ((*system).xOpen.unwrap())(system, name, real, flags, out);
        (*file).pMethods = if (*real).pMethods.is_null() {
            ptr::null()
        } else {
            &raw const METHODS
        };
        if let (SQLITE_OK, Some(path)) = (result, path) {
            RECORD.lock().unwrap().open.insert(file as usize, path);
        }
        result
    }
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    unsafe {
        let path = CStr::from_ptr(name).to_string_lossy().into_owned();
        RECORD.lock().unwrap().events.push(Event::Delete { path });
        let system = sqlite3_vfs_find(ptr::null());
        ((*system).xDelete.unwrap())(system, name, sync)
    }
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 3,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: Some(fetch),
    xUnfetch: Some(unfetch),
};

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    RECORD.lock().unwrap().open.remove(&(file as usize));
    unsafe {
        let (real, methods) = real(file);
        (methods.xClose.unwrap())(real)
    }
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    data: *const c_void,
    amount: c_int,
    offset: sqlite3_int64,
) -> c_int {
    unsafe {
        let bytes = std::slice::from_raw_parts(data.cast::<u8>(), amount as usize).to_vec();
        note(file, |path| Event::Write {
            path,
            offset: offset as usize,
            bytes,
        });
        let (real, methods) = real(file);
        (methods.xWrite.unwrap())(real, data, amount, offset)
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: sqlite3_int64) -> c_int {
    note(file, |path| Event::Truncate {
        path,
        length: size as usize,
    });
    unsafe {
        let (real, methods) = real(file);
        (methods.xTruncate.unwrap())(real, size)
    }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    let result = unsafe {
        let (real, methods) = real(file);
        (methods.xSync.unwrap())(real, flags)
    };
    note(file, |path| Event::Sync { path });
    result
}

/// A method that does only what the system's own does.
macro_rules! passed_on {
    ($name:ident, $method:ident, ($($argument:ident: $type:ty),*) -> $result:ty) => {
        unsafe extern "C" fn $name(file: *mut sqlite3_file, $($argument: $type),*) -> $result {
            unsafe {
                let (real, methods) = real(file);
                (methods.$method.unwrap())(real, $($argument),*)
            }
        }
    };
}

passed_on!(read, xRead, (data: *mut c_void, amount: c_int, offset: sqlite3_int64) -> c_int);
passed_on!(file_size, xFileSize, (size: *mut sqlite3_int64) -> c_int);
passed_on!(lock, xLock, (level: c_int) -> c_int);
passed_on!(unlock, xUnlock, (level: c_int) -> c_int);
passed_on!(check_reserved_lock, xCheckReservedLock, (result: *mut c_int) -> c_int);
passed_on!(file_control, xFileControl, (op: c_int, argument: *mut c_void) -> c_int);
passed_on!(sector_size, xSectorSize, () -> c_int);
passed_on!(device_characteristics, xDeviceCharacteristics, () -> c_int);
passed_on!(shm_map, xShmMap, (page: c_int, size: c_int, extend: c_int, out: *mut *mut c_void) -> c_int);
passed_on!(shm_lock, xShmLock, (offset: c_int, n: c_int, flags: c_int) -> c_int);
passed_on!(shm_barrier, xShmBarrier, () -> ());
passed_on!(shm_unmap, xShmUnmap, (delete: c_int) -> c_int);
passed_on!(fetch, xFetch, (offset: sqlite3_int64, amount: c_int, out: *mut *mut c_void) -> c_int);
passed_on!(unfetch, xUnfetch, (offset: sqlite3_int64, page: *mut c_void) -> c_int);
