package io.csi4j.client.model;

import java.util.Map;
import java.util.function.Function;

/**
 * Returns the gRPC metadata that calls to a plugin are sent with, such as the context of a trace.
 * CSI defines no metadata, so a plugin may ignore all of it. Secrets do not belong here: they have
 * their own fields in the requests.
 *
 * <p>What it throws is logged, and the call is sent without metadata.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface CallMetadata {

  /**
   * Returns the metadata of one call. Called once for each call, on the thread of its caller,
   * before the first attempt.
   *
   * @param operation the call
   * @return the metadata of an attempt; called on the thread that sends the attempt, after {@link
   *     CsiListener#onStart}. Names consist of lower-case letters, digits, {@code -}, {@code _} and
   *     {@code .}; they do not begin with {@code grpc-} or end with {@code -bin}. Values consist of
   *     printable ASCII. An entry that breaks these rules is logged and not sent.
   */
  Function<CsiListener.Started, Map<String, String>> of(CsiOperation operation);
}
