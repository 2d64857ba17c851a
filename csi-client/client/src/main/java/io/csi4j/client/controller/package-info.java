/**
 * The controller service, which manages volumes and snapshots from any host. This package contains
 * the request, the result and the capability of every controller call.
 *
 * <p>Start at {@link io.csi4j.client.controller.ControllerService}. Types shared with other
 * services are in {@code io.csi4j.client.model}. Only the client creates results, so later releases
 * may add methods to the result types. All values here are immutable and safe to share between
 * threads.
 */
@NullMarked
package io.csi4j.client.controller;

import org.jspecify.annotations.NullMarked;
