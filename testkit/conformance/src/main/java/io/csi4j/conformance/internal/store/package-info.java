/**
 * The checks behind {@code RecordStoreChecks}. Start with {@link
 * io.csi4j.conformance.internal.store.AllChecks}: each other class whose name ends in {@code
 * Checks} contains the checks of one subject. A check uses the store through a {@code Scene}, and
 * only through the interface of the store.
 */
@NullMarked
package io.csi4j.conformance.internal.store;

import org.jspecify.annotations.NullMarked;
