/**
 * The implementation of each call: the rules of the spec on top of a storage. Start with {@link
 * io.csi4j.testkit.internal.backend.SpecBackend}. Another module of the testkit contains a storage
 * that really mounts. That module uses {@link io.csi4j.testkit.internal.backend.Storage} and the
 * types in its signatures.
 */
@NullMarked
package io.csi4j.testkit.internal.backend;

import org.jspecify.annotations.NullMarked;
