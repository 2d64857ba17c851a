/**
 * Makes texts and messages safe to show: finds secrets and removes them.
 *
 * <p>Start at {@code SensitiveValues}. Text is escaped by the package {@code text}; failures are
 * described by the call path. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.redaction;

import org.jspecify.annotations.NullMarked;
