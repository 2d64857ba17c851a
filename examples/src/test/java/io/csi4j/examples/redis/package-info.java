/** The example of a store in Redis, against a real Redis. */
@NullMarked
package io.csi4j.examples.redis;

import org.jspecify.annotations.NullMarked;
