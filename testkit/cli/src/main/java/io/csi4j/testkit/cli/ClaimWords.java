package io.csi4j.testkit.cli;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.view.ClaimsView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Formats claims as text and as JSON. The output contains no values of contexts and no mount
 * options.
 */
final class ClaimWords {

  private ClaimWords() {}

  /** Reads all claims in a store. */
  static StoreOptions.Read<List<Claim>> read(StoreOptions source) {
    StoreOptions.Read<ClaimPage> read =
        source.read(
            ClaimsView::all,
            page -> page.unreadable().stream().map(ClaimPage.Unreadable::problem).toList());
    return new StoreOptions.Read<>(read.records().claims(), read.trouble());
  }

  /**
   * Returns the claim of the volume that the command line names. The name may omit the namespace.
   */
  static Claim named(StoreOptions.Read<List<Claim>> read, String name) {
    List<Claim> found =
        read.records().stream()
            .filter(
                claim -> claim.volume().toString().equals(name) || claim.volume().id().equals(name))
            .toList();
    if (found.size() == 1) {
      return found.get(0);
    }
    String quoted = OneLine.quoted(name);
    if (found.isEmpty() && !read.trouble().isEmpty()) {
      throw CommandFailure.noConnection(
          "The store has no readable claim of volume %s, and some of its claims cannot be read. %s"
              .formatted(quoted, String.join(" ", read.trouble())));
    }
    throw CommandFailure.usage(
        found.isEmpty()
            ? "Volume " + quoted + " was never claimed there."
            : "Several volumes are named %s. Write one of %s."
                .formatted(
                    quoted,
                    OptionText.oneOf(found.stream().map(each -> OneLine.of(each.volume() + "")))));
  }

  /** Returns the complete record of a claim, as lines of text. */
  static List<String> lines(Claim claim) {
    List<String> lines = new ArrayList<>();
    lines.add(head(claim));
    claim.holders().values().forEach(holder -> lines.add("  " + phrase(holder)));
    claim
        .exhaustedUntil()
        .ifPresent(
            until -> lines.add("  the storage system accepts no more attachments until " + until));
    claim
        .overrides()
        .forEach(
            answered ->
                lines.add(
                    "  %s: %s confirmed the release of workload '%s' on node '%s' without proof: %s"
                        .formatted(
                            answered.at(),
                            answered.person(),
                            answered.workload(),
                            answered.node(),
                            answered.reason())));
    return lines;
  }

  private static String head(Claim claim) {
    return "volume %s: %s, epoch %s"
        .formatted(
            claim.volume(),
            claim
                .use()
                .map(
                    use ->
                        use
                            + ", claimed by "
                            + StateWords.counted(claim.holders().size(), "workload"))
                .orElse("not claimed"),
            claim.epoch());
  }

  private static String phrase(ClaimHolder holder) {
    return "workload '%s' on node '%s'%s: %s, %s, epoch %s, since %s, %s"
        .formatted(
            holder.workload(),
            holder.node(),
            holder.nodeId().map(id -> " (for the plugin '" + id + "')").orElse(""),
            holder.mode().name().toLowerCase(Locale.ROOT),
            holder.state(),
            holder.epoch(),
            holder.since(),
            attachment(holder.attachment()));
  }

  private static String attachment(ClaimHolder.Attachment attachment) {
    if (attachment instanceof ClaimHolder.Attachment.Attached attached) {
      return "attached"
          + (attached.context().isEmpty()
              ? ""
              : " with a context of " + String.join(", ", attached.context().keys()));
    }
    return attachment instanceof ClaimHolder.Attachment.InDoubt
        ? "may be attached"
        : "needs no attachment";
  }

  /** Returns the claim with the reason why each holder waits, as lines of text. */
  static List<String> reasons(Claim claim) {
    List<String> lines = new ArrayList<>();
    lines.add(head(claim));
    for (ClaimHolder holder : claim.holders().values()) {
      lines.add("  " + phrase(holder));
      next(holder).forEach(line -> lines.add("    " + line));
    }
    if (claim.holders().isEmpty()) {
      lines.add("  the volume is free to be claimed");
    }
    return lines;
  }

  private static List<String> next(ClaimHolder holder) {
    return switch (holder.state()) {
      case TAKEN ->
          List.of(
              "the workload may use the volume, until its host releases the claim",
              "a claim does not end on its own, even if its node is down");
      case UNPUBLISHING ->
          List.of(
              "its release was requested, but no proof shows yet that the node has nothing mounted",
              "accepted proof: "
                  + Arrays.stream(ClaimProgress.Choice.values())
                      .map(ClaimProgress.Choice::words)
                      .collect(Collectors.joining("; or ")));
      case NODE_DETACHED ->
          List.of(
              holder.attachment() instanceof ClaimHolder.Attachment.NotNeeded
                  ? "the node has nothing mounted; next, the claim is removed"
                  : "the node has nothing mounted; next, the volume is detached from it"
                      + " (ControllerUnpublishVolume)");
      case CONTROLLER_DETACHED, READY_TO_FREE ->
          List.of("nothing is pending any more; next, the claim is removed");
    };
  }

  /** Returns the states of all holders of a claim, without duplicates. */
  static String states(Claim claim) {
    return claim.holders().values().stream()
        .map(ClaimHolder::state)
        .distinct()
        .sorted()
        .map(ClaimHolder.State::name)
        .collect(Collectors.joining(","));
  }

  static Json json(Claim claim) {
    return new Json()
        .with("namespace", claim.volume().namespace())
        .with("volume", claim.volume().id())
        .with("mode", claim.use().map(use -> use.mode()))
        .with("attachment", claim.use().map(use -> use.attachment()))
        .with("epoch", claim.epoch())
        .list("holders", claim.holders().values(), ClaimWords::json)
        .with("exhausted_until", claim.exhaustedUntil())
        .list(
            "overrides",
            claim.overrides(),
            each ->
                new Json()
                    .with("workload", each.workload())
                    .with("node", each.node())
                    .with("epoch", each.epoch())
                    .with("person", each.person())
                    .with("reason", each.reason())
                    .with("at", each.at()));
  }

  private static Json json(ClaimHolder holder) {
    return new Json()
        .with("workload", holder.workload())
        .with("node", holder.node())
        .with("node_id", holder.nodeId())
        .with("does", holder.mode())
        .with("state", holder.state())
        .with("epoch", holder.epoch())
        .with("since", holder.since())
        .with("attached", attachment(holder.attachment()));
  }
}
