/**
 * Foreign text made fit for one line: escaped, quoted and cut.
 *
 * <p>Start at {@code SafeText}. What is secret in a text is found in the client, in {@code
 * redaction}. Not exported but to the client and the testkit.
 */
@NullMarked
package io.csi4j.client.internal.text;

import org.jspecify.annotations.NullMarked;
