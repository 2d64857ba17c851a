/**
 * What every implementation of the mounts has to do: tests for the real kernel and for the one in
 * memory, which therefore cannot differ in it. A {@link io.csi4j.mount.contract.World} arranges
 * what the tests need.
 */
package io.csi4j.mount.contract;
