/**
 * Foreign text made fit for one line: escaped, quoted and cut; the rows of tables in jars; and
 * stack traces without foreign frames.
 *
 * <p>Start at {@code SafeText} and {@code Rows}. What is secret in a text is found in the client,
 * in {@code redaction}. Exported to our own modules only.
 */
@NullMarked
package io.csi4j.client.internal.text;

import org.jspecify.annotations.NullMarked;
