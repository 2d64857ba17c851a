package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.model.StatusCode;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Makes cases. */
final class Cases {

  static final String NO_SUCH_VOLUME = "csi4j-no-such-volume";
  static final String NO_SUCH_SNAPSHOT = "csi4j-no-such-snapshot";
  static final String NO_SUCH_GROUP = "csi4j-no-such-group-snapshot";
  static final String NO_SUCH_NODE = "csi4j-no-such-node";

  private Cases() {}

  /** A case. */
  static SuiteCase expect(
      String name, String expectation, String place, List<Need> needs, SuiteCase.Body body) {
    return new SuiteCase(name, expectation, place, needs, Set.of(), body);
  }

  /** A request, made for a plugin. */
  @FunctionalInterface
  interface Request<Q extends Message> {
    Q make(Trial t) throws CaseEndedException;
  }

  /** A case that leaves out a required field of an otherwise lawful request. */
  static <Q extends Message, A extends Message> SuiteCase required(
      String prefix, CsiRpc<Q, A> rpc, String field, List<Need> needs, Request<Q> request) {
    String rpcName = rpc.operation().rpcName();
    return expect(
            prefix + "/without-" + field.replace('_', '-') + "-is-refused",
            String.format(Locale.ROOT, "%s without the required %s is refused.", rpcName, field),
            rpcName,
            needs,
            t -> {
              Message whole = request.make(t);
              Message lacking =
                  whole.toBuilder()
                      .clearField(whole.getDescriptorForType().findFieldByName(field))
                      .build();
              Reply reply = t.call(rpc.operation(), lacking);
              t.check(
                  reply.code() == StatusCode.INVALID_ARGUMENT,
                  rpcName
                      + " without "
                      + field
                      + " fails with "
                      + Trial.words(StatusCode.INVALID_ARGUMENT),
                  t.shown(reply));
            })
        .rows(506);
  }
}
