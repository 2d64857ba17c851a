/**
 * Text that may be shown: escaping what others wrote, finding and taking out what is secret.
 *
 * <p>Start at {@code SensitiveValues}. Wording of failures belongs to the call path, what they mean
 * to {@code rules}. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.text;

import org.jspecify.annotations.NullMarked;
