/**
 * Calls by their messages, for the testkit, which has requests that no typed request can be.
 * Nothing in here is API.
 */
@NullMarked
package io.csi4j.client.internal.message;

import org.jspecify.annotations.NullMarked;
