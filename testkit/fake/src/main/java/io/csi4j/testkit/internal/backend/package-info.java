/**
 * Implements each call as a lawful plugin does: the rules of the spec over a storage. Start with
 * {@link io.csi4j.testkit.internal.backend.SpecBackend}. Another module of the testkit provides a
 * storage that mounts; it uses {@link io.csi4j.testkit.internal.backend.Storage} and the types in
 * its signatures.
 */
@NullMarked
package io.csi4j.testkit.internal.backend;

import org.jspecify.annotations.NullMarked;
