# A recipe for Nix: nix-build -E '(import <nixpkgs> { }).callPackage ./integration/nix/package.nix { }'
{ lib, stdenv, meson, ninja, pkg-config, flex, bison, python3, elfutils, jansson, libiberty, libyaml, lz4, nettle, sqlite
, zstd, src ? lib.cleanSource ../.. }:

stdenv.mkDerivation {
  pname = "ptxoffload";
  version = "0.2.0";
  inherit src;

  nativeBuildInputs = [ meson ninja pkg-config flex bison python3 ];
  buildInputs = [ elfutils jansson libiberty libyaml lz4 nettle sqlite zstd ];
  mesonFlags = [ "-Dtests=false" "-Dcuda-checks=disabled" ];
  postPatch = "patchShebangs .";

  meta = {
    description = "Finds what PTX can offload to hardware near its data, and simulates GPUs with such hardware";
    license = lib.licenses.asl20;
    platforms = lib.platforms.linux;
    mainProgram = "ptxoffload";
  };
}
