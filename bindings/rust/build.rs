//! Finds the library: TENFOLD_LIB_DIR, else pkg-config.
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=TENFOLD_LIB_DIR");
    let folder = std::env::var("TENFOLD_LIB_DIR").ok().or_else(|| {
        let found = Command::new("pkg-config").args(["--variable=libdir", "tenfold"]).output().ok()?;
        found.status.success().then(|| String::from_utf8_lossy(&found.stdout).trim().to_string())
    });
    if let Some(folder) = folder {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    println!("cargo:rustc-link-lib=dylib=tenfold");
}
