/**
 * The checks behind {@code RecordStoreChecks}. Start at {@link
 * io.csi4j.conformance.internal.store.AllChecks}: each other class whose name ends in {@code
 * Checks} holds the checks of one subject. A check uses the store through a {@code Scene}, and
 * nothing of a store but its interface.
 */
@NullMarked
package io.csi4j.conformance.internal.store;

import org.jspecify.annotations.NullMarked;
