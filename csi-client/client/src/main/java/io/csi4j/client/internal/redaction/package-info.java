/**
 * Texts and messages that may be shown: what is secret is found and taken out.
 *
 * <p>Start at {@code SensitiveValues}. Escaping is in {@code text}, one package down; the wording
 * of failures belongs to the call path. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.redaction;

import org.jspecify.annotations.NullMarked;
