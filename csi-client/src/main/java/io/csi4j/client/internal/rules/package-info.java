/**
 * What is decided by tables: what a failure means, how patient a call is, what a request must look
 * like and what a plugin has to offer for it.
 *
 * <p>Start at {@code FailureTable}. All of it is pure: nothing here sends or waits. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.rules;

import org.jspecify.annotations.NullMarked;
