/**
 * The work of a lawful plugin for each call: the rules of the spec over a storage. Start with
 * {@link io.csi4j.testkit.internal.backend.SpecBackend}. Another module of the testkit brings a
 * storage that mounts; it sees {@link io.csi4j.testkit.internal.backend.Storage} and what that
 * takes.
 */
@NullMarked
package io.csi4j.testkit.internal.backend;

import org.jspecify.annotations.NullMarked;
