/**
 * Checks for record stores. A {@link io.csi4j.conformance.store.RecordStoreFixture fixture} creates
 * the stores, and each {@link io.csi4j.conformance.store.RecordStoreCheck check} tests one
 * guarantee. {@link io.csi4j.conformance.RecordStoreChecks} lists the checks, which can run with or
 * without a test library.
 *
 * <p>A check starts daemon threads, which end with the check. Checks may run concurrently if the
 * fixture can create several stores at the same time. The checks do not cover the rules for claims
 * and for the catalog.
 */
@NullMarked
package io.csi4j.conformance.store;

import org.jspecify.annotations.NullMarked;
