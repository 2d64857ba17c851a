package io.csi4j.conformance.internal.claims;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.NodeAttachment;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Volumes and claims to write. */
final class SampleClaims {

  static final VolumeKey DB = VolumeKey.of("db");
  static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Claim.Use USE =
      new Claim.Use(AccessMode.MULTI_NODE_MULTI_WRITER, AttachmentMode.FILESYSTEM);

  private SampleClaims() {}

  static VolumeKey key(String namespace, String id) {
    return VolumeKey.of(Namespace.of(namespace), id);
  }

  static List<VolumeKey> keys(int count) {
    return IntStream.range(0, count).mapToObj(i -> VolumeKey.of("v-%04d".formatted(i))).toList();
  }

  /** Names that are taken for others if they are not kept apart to the letter. */
  static List<VolumeKey> trickyKeys() {
    return Stream.of(
            key("a", "b"),
            key("a", "b/c"),
            key("a/b", "c"),
            key("a/", "b"),
            key("a", "/b"),
            key("A", "b"),
            key("a", "B"),
            key("a", "b "),
            key(" a", "b"),
            key("a", "b*"),
            key("a", "b%2Fc"),
            key("a%2Fb", "c"),
            key("a", ".."),
            key("..", "a"),
            key("a", "b\\"),
            key("a", "b\u200b"),
            key("a", "\u00e9"),
            key("a", "e\u0301"),
            key("a", "\uffee"),
            key("a", "\ud834\udd1e"),
            key("a", "'; drop table claims; --"),
            key("a!", "b"),
            key("a.b", "c"),
            key("ab", "c"),
            key("a b", "x"),
            key("a-b", "x/y"),
            key("aa", " "),
            key("\ufffd", "x"),
            key("\ud834\udd1e", "x"),
            key("\ud834\udd1e", "\ud83d\ude00"))
        .sorted()
        .toList();
  }

  static Claim held(VolumeKey volume, String... workloads) {
    return claim(
        volume,
        workloads.length,
        IntStream.range(0, workloads.length).mapToObj(i -> holder(workloads[i], i + 1)).toList());
  }

  static Claim claim(VolumeKey volume, long epoch, Collection<ClaimHolder> holders) {
    SortedMap<WorkloadId, ClaimHolder> byWorkload =
        holders.stream()
            .collect(
                Collectors.toMap(
                    ClaimHolder::workload, holder -> holder, (a, b) -> b, TreeMap::new));
    return new Claim(
        volume,
        byWorkload.isEmpty() ? Optional.empty() : Optional.of(USE),
        byWorkload,
        epoch,
        Optional.empty());
  }

  /** The claim with one more holder, and a higher epoch. */
  static Claim joined(Claim claim, String workload) {
    SortedMap<WorkloadId, ClaimHolder> holders = new TreeMap<>(claim.holders());
    ClaimHolder holder = holder(workload, claim.epoch() + 1);
    holders.put(holder.workload(), holder);
    return claim(claim.volume(), claim.epoch() + 1, holders.values());
  }

  static ClaimHolder holder(String workload, long epoch) {
    return holder(workload, epoch, new NodeAttachment.NotNeeded());
  }

  static ClaimHolder holder(String workload, long epoch, NodeAttachment attachment) {
    return new ClaimHolder(
        WorkloadId.of(workload),
        NodeName.of("n1"),
        Optional.of(NodeId.of("node-1")),
        ClaimMode.WRITE,
        ClaimState.TAKEN,
        epoch,
        THEN,
        attachment);
  }

  /** Each part of a claim in each of its forms. */
  static List<Claim> everyForm(VolumeKey volume) {
    List<NodeAttachment> attachments =
        List.of(
            new NodeAttachment.NotNeeded(),
            new NodeAttachment.InDoubt(),
            new NodeAttachment.Attached(PublishContext.empty()),
            new NodeAttachment.Attached(
                PublishContext.of(
                    Map.of(
                        "lun",
                        "7",
                        "",
                        "of no name",
                        "empty",
                        "",
                        "odd",
                        "a\n\u0000=\ud834\udd1e"))));
    return Stream.of(AccessMode.values())
        .filter(AccessMode::isStated)
        .flatMap(
            mode ->
                Stream.of(AttachmentMode.values())
                    .map(attachment -> new Claim.Use(mode, attachment)))
        .flatMap(
            use ->
                Stream.of(ClaimState.values())
                    .map(
                        state ->
                            new Claim(
                                volume,
                                Optional.of(use),
                                crowd(attachments, state),
                                9_000_000_000L,
                                state == ClaimState.TAKEN
                                    ? Optional.empty()
                                    : Optional.of(THEN.plusNanos(123456789)))))
        .toList();
  }

  private static SortedMap<WorkloadId, ClaimHolder> crowd(
      List<NodeAttachment> attachments, ClaimState state) {
    SortedMap<WorkloadId, ClaimHolder> holders = new TreeMap<>();
    for (ClaimMode mode : ClaimMode.values()) {
      for (int i = 0; i < attachments.size(); i++) {
        WorkloadId workload = WorkloadId.of(mode + "-\u00fc/" + i);
        holders.put(
            workload,
            new ClaimHolder(
                workload,
                NodeName.of("Knoten " + i),
                i == 0 ? Optional.empty() : Optional.of(NodeId.of("i-0a1b/zone-\u00e4" + i)),
                mode,
                state,
                1 + i,
                i == 1 ? Instant.EPOCH.minusNanos(1) : THEN.plusSeconds(i),
                attachments.get(i)));
      }
    }
    return holders;
  }

  /** A claim with so much text in it, and some more bytes around it. */
  static Claim large(VolumeKey volume, int characters) {
    return claim(
        volume,
        1,
        List.of(
            holder(
                "large",
                1,
                new NodeAttachment.Attached(
                    PublishContext.of(Map.of("text", "x".repeat(characters)))))));
  }
}
