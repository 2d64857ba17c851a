package io.csi4j.conformance.internal.plugin;

import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_VOLUME;
import static io.csi4j.conformance.internal.plugin.Cases.expect;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.StatusCode;
import java.util.ArrayList;
import java.util.List;

/** How a plugin says no. */
final class StatusCases {

  private static final String PLACE = "Error Scheme";

  private StatusCases() {}

  static List<SuiteCase> all() {
    List<SuiteCase> all = new ArrayList<>();
    all.add(
        expect(
            "status/a-refusal-says-why",
            "A refused call ends with a code that tells the caller what to do, and better with a"
                + " text for people too.",
            PLACE,
            List.of(),
            t -> {
              said(t, CsiRpc.NODE_PUBLISH_VOLUME, NodePublishVolumeRequest.getDefaultInstance());
              said(
                  t, CsiRpc.NODE_UNPUBLISH_VOLUME, NodeUnpublishVolumeRequest.getDefaultInstance());
              if (Needs.CREATE.met(t)) {
                said(t, CsiRpc.DELETE_VOLUME, DeleteVolumeRequest.getDefaultInstance());
              }
              if (Needs.CONTROLLER.met(t)) {
                said(
                    t,
                    CsiRpc.VALIDATE_VOLUME_CAPABILITIES,
                    ValidateVolumeCapabilitiesRequest.getDefaultInstance());
              }
            }));
    all.add(
        expect(
            "status/the-plugin-answers-after-lawless-calls",
            "A plugin that was sent nonsense goes on to serve others.",
            PLACE,
            List.of(),
            t -> {
              Volume nonsense =
                  Volume.newBuilder().setVolumeId("../../" + NO_SUCH_VOLUME + "\n").build();
              Reply reply =
                  t.call(
                      CsiRpc.NODE_UNPUBLISH_VOLUME, LawfulRequests.unpublish(t, nonsense).build());
              t.check(
                  reply.code() != StatusCode.UNAVAILABLE
                      && reply.code() != StatusCode.DEADLINE_EXCEEDED,
                  "an answer",
                  t.shown(reply));
              t.ok(
                  CsiRpc.GET_PLUGIN_INFO,
                  io.csi4j.client.internal.proto.GetPluginInfoRequest.getDefaultInstance());
            }));
    return all;
  }

  private static <Q extends Message, A extends Message> void said(
      Trial t, CsiRpc<Q, A> rpc, Q request) throws CaseEndedException {
    Reply reply = t.call(rpc, request);
    t.answered(rpc, reply);
    if (!reply.isOk() && reply.text().isEmpty()) {
      t.advise(rpc.operation().rpcName() + " failed with " + reply.code() + " and no text.");
    }
  }
}
