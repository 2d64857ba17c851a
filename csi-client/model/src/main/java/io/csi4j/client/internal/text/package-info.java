/**
 * Escapes, quotes and cuts text of unknown origin, so that it fits safely on one line. Also reads
 * tables in jars, and removes the frames of gRPC from stack traces.
 *
 * <p>Start at {@code SafeText} and {@code Rows}. The client's package {@code redaction} finds
 * secrets in texts. Exported only to modules of csi4j.
 */
@NullMarked
package io.csi4j.client.internal.text;

import org.jspecify.annotations.NullMarked;
