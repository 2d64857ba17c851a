/**
 * The types of the checks for stores of records: a {@link
 * io.csi4j.conformance.store.RecordStoreFixture fixture} makes the stores, each {@link
 * io.csi4j.conformance.store.RecordStoreCheck check} sees whether one guarantee is kept. {@link
 * io.csi4j.conformance.RecordStoreChecks} lists them for any test library or for none.
 *
 * <p>A check starts daemon threads, which end with the check. Checks may run side by side if the
 * fixture can make several stores at once. The rules of claims and of the catalog are not checked
 * here.
 */
@NullMarked
package io.csi4j.conformance.store;

import org.jspecify.annotations.NullMarked;
