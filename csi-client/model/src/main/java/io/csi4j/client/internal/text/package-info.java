/**
 * Makes foreign text safe for one line: escaped, quoted and cut. Also reads tables in jars, and
 * removes foreign frames from stack traces.
 *
 * <p>Start at {@code SafeText} and {@code Rows}. The client's package {@code redaction} finds
 * secrets in texts. Exported only to modules of csi4j.
 */
@NullMarked
package io.csi4j.client.internal.text;

import org.jspecify.annotations.NullMarked;
