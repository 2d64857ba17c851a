/**
 * The work of a lawful plugin for each call: the rules of the spec over a storage. Start with
 * {@link io.csi4j.testkit.internal.backend.SpecBackend}.
 */
@NullMarked
package io.csi4j.testkit.internal.backend;

import org.jspecify.annotations.NullMarked;
