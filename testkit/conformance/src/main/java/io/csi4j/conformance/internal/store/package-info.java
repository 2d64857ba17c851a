/**
 * The implementation of {@code RecordStoreChecks}. Start with {@link
 * io.csi4j.conformance.internal.store.AllChecks}. Each other class whose name ends in {@code
 * Checks} contains the checks for one subject. A check accesses the store through a {@code Scene},
 * which uses only the interface {@code RecordStore}.
 */
@NullMarked
package io.csi4j.conformance.internal.store;

import org.jspecify.annotations.NullMarked;
