package io.csi4j.testkit.internal.call;

import com.google.protobuf.Message;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.internal.message.MessageCalls;
import io.csi4j.client.internal.redaction.Scrubber;
import io.csi4j.client.internal.redaction.SensitiveValues;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.GetMetadataDeltaRequest;
import io.csi4j.client.metadata.MetadataStream;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.testkit.internal.journal.JsonText;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.internal.json.JsonReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Builds a request from JSON, and returns the answers as JSON. */
public record MessageSender(CsiOperation operation, Message request) {

  private static final String SECRETS = "secrets";

  /** Returns the request with these fields. */
  public static MessageSender of(CsiOperation operation, String json) {
    return new MessageSender(
        operation,
        MessageFields.with(WireOperation.of(operation).request(), JsonReader.object(json)));
  }

  public static String fields(CsiOperation operation) {
    return JsonSkeleton.of(WireOperation.of(operation).request());
  }

  /** Returns the request with these secrets in place of its own; unchanged if there are none. */
  public MessageSender with(Secrets secrets) {
    if (secrets.isEmpty()) {
      return this;
    }
    return new MessageSender(
        operation, MessageFields.with(request, Map.of(SECRETS, secrets.reveal())));
  }

  public boolean takesSecrets() {
    return request.getDescriptorForType().findFieldByName(SECRETS) != null;
  }

  /** Makes the call, and returns each answer as JSON. */
  public List<String> send(CsiPlugin plugin, boolean contexts) {
    UnaryOperator<String> scrubber = Scrubber.whole(SensitiveValues.of(secretsAlone()));
    if (operation.service() == CsiOperation.Service.SNAPSHOT_METADATA) {
      List<String> answers = new ArrayList<>();
      try (MetadataStream stream = stream(plugin)) {
        stream.forEachRemaining(
            batch -> answers.add(JsonText.of(answer(batch), contexts, scrubber)));
      }
      return answers;
    }
    if (!(plugin instanceof MessageCalls.Source source)) {
      throw new IllegalArgumentException(
          "The plugin is not one that CsiPlugin.connect returned. Connect to its endpoint.");
    }
    Message answer = source.messages().call(operation, request);
    return List.of(JsonText.of(answer, contexts, scrubber));
  }

  /** Returns only the operation, because a request may contain secrets. */
  @Override
  public String toString() {
    return "MessageSender[" + operation.rpcName() + "]";
  }

  private Message secretsAlone() {
    Message empty = request.getDefaultInstanceForType();
    return takesSecrets()
        ? MessageFields.with(empty, Map.of(SECRETS, new ProtoMessage(request).map(SECRETS)))
        : empty;
  }

  private MetadataStream stream(CsiPlugin plugin) {
    ProtoMessage fields = new ProtoMessage(request);
    Secrets secrets = Secrets.of(fields.map(SECRETS));
    long offset = fields.number("starting_offset");
    int most = (int) fields.number("max_results");
    return operation == CsiOperation.GET_METADATA_ALLOCATED
        ? plugin
            .snapshotMetadata()
            .getMetadataAllocated(
                GetMetadataAllocatedRequest.builder(SnapshotId.of(fields.text("snapshot_id")))
                    .startingOffset(offset)
                    .maxResults(most)
                    .secrets(secrets)
                    .build())
        : plugin
            .snapshotMetadata()
            .getMetadataDelta(
                GetMetadataDeltaRequest.builder(
                        SnapshotId.of(fields.text("base_snapshot_id")),
                        SnapshotId.of(fields.text("target_snapshot_id")))
                    .startingOffset(offset)
                    .maxResults(most)
                    .secrets(secrets)
                    .build());
  }

  private Message answer(BlockMetadataBatch batch) {
    boolean isKnown = batch.type() != BlockMetadataBatch.Type.UNRECOGNIZED;
    return MessageFields.with(
        WireOperation.of(operation).answer(),
        Map.of(
            "block_metadata_type",
            isKnown ? batch.type().name() : "UNKNOWN",
            "volume_capacity_bytes",
            batch.volumeCapacityBytes(),
            "block_metadata",
            batch.ranges().stream()
                .map(range -> Map.of("byte_offset", range.offset(), "size_bytes", range.size()))
                .toList()));
  }
}
