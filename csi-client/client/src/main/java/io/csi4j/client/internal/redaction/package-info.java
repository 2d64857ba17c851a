/**
 * Makes texts and messages safe to show: finds secrets and removes them.
 *
 * <p>Start at {@code SensitiveValues}. Escaping is in the package {@code text}; the call path words
 * the failures. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.redaction;

import org.jspecify.annotations.NullMarked;
