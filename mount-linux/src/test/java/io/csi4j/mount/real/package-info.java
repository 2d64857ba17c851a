/**
 * What the tests on the running kernel need: the private namespace that they run in, filters that
 * hide system calls, other namespaces, and filesystems that die or hang.
 */
@NullMarked
package io.csi4j.mount.real;

import org.jspecify.annotations.NullMarked;
