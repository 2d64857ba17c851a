package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.internal.referee.KnownOffers.Part;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Rules for the order of calls: attach, stage, publish, and the reverse. */
final class OrderRules extends DutyRule {

  OrderRules(Hearing hearing) {
    super(hearing, "Order of the lifecycle");
  }

  @Override
  void began(RecordedCall call) {
    String id = WireFields.volume(call);
    if (id.isEmpty() || !world.isComplete()) {
      return;
    }
    KnownVolume volume = world.volume(id);
    String node = WireFields.node(call);
    String asked = WireFields.text(call, "node_id");
    TrackedUse attachment = volume.attachments.get(asked);
    TrackedUse staging = volume.stagings.on(node).get(WireFields.text(call, "staging_target_path"));
    TrackedUse publication = volume.publications.on(node).get(WireFields.text(call, "target_path"));
    switch (call.operation()) {
      case CONTROLLER_PUBLISH_VOLUME -> {
        provisioned(call, volume);
        settled(call, attachment);
      }
      case NODE_STAGE_VOLUME -> {
        stage(call, volume);
        settled(call, staging);
      }
      case NODE_PUBLISH_VOLUME -> {
        publish(call, volume);
        settled(call, publication);
      }
      case NODE_UNPUBLISH_VOLUME -> {
        unpublish(call, volume);
        settled(call, publication);
      }
      case NODE_UNSTAGE_VOLUME -> {
        unstage(call, volume);
        lost(call, volume.publications.on(node), "published");
        settled(call, staging);
      }
      case CONTROLLER_UNPUBLISH_VOLUME -> {
        Map<String, Map<String, TrackedUse>> stagings = on(asked, volume.stagings.all);
        Map<String, Map<String, TrackedUse>> publications = on(asked, volume.publications.all);
        detach(call, stagings, publications);
        stagings.values().forEach(paths -> lost(call, paths, "staged"));
        publications.values().forEach(paths -> lost(call, paths, "published"));
        settled(call, attachment);
      }
      case DELETE_VOLUME -> {
        delete(call, volume);
        lost(call, volume.attachments, "attached");
        volume.stagings.all.values().forEach(paths -> lost(call, paths, "staged"));
        volume.publications.all.values().forEach(paths -> lost(call, paths, "published"));
      }
      default -> {}
    }
  }

  private void provisioned(RecordedCall call, KnownVolume volume) {
    if (volume.created == null && world.offers.has(Part.PLUGIN, "", "CONTROLLER_SERVICE")) {
      judge(volume.validated, call, "not provisioned");
    }
  }

  private void attached(RecordedCall call, KnownVolume volume) {
    if (!world.needsAttachment()) {
      return;
    }
    if (world.nodeIds(WireFields.node(call)).isEmpty() && volume.attachedAsUnknown(world)) {
      return; // No answer contained an id for this node, so the volume may be attached to it.
    }
    TrackedUse attachment = world.attachmentHere(volume, WireFields.node(call));
    boolean here = attachment.succeeded();
    judge(here, call, "not attached");
    if (here || (!attachment.possible() && volume.attachedSomewhere())) {
      judge(here, call, "attached to another node");
    }
  }

  private void stage(RecordedCall call, KnownVolume volume) {
    provisioned(call, volume);
    attached(call, volume);
    String node = WireFields.node(call);
    String path = WireFields.text(call, "staging_target_path");
    for (Map.Entry<String, TrackedUse> staging : volume.stagings.on(node).entrySet()) {
      TrackedUse thing = staging.getValue();
      if (thing.standing() && !path.isEmpty() && !staging.getKey().equals(path)) {
        String there = quote(staging.getKey());
        String maker = ref(thing.maker());
        judge(false, thing.evidence(), call, "second staging path", quote(path), there, maker);
      }
    }
    if (!volume.stagings.any(node, TrackedUse::standing)) {
      kept(call, "first staging");
    } else if (volume.stagings.use(node, path).certain()) {
      judge(!volume.publications.any(node, TrackedUse::standing), call, "staged again");
    }
  }

  private void publish(RecordedCall call, KnownVolume volume) {
    if (world.isInline(call)) {
      return; // The plugin creates the volume with this call, so no earlier call is required.
    }
    provisioned(call, volume);
    attached(call, volume);
    String node = WireFields.node(call);
    if (!world.needsStaging(node)) {
      return;
    }
    boolean staged = volume.stagings.any(node, TrackedUse::succeeded);
    judge(staged, call, "not staged");
    if (staged) {
      String path = WireFields.text(call, "staging_target_path");
      TrackedUse staging = volume.stagings.on(node).get(path);
      boolean there = staging != null && staging.possible();
      judge(there, call, path.isEmpty() ? "no staging path" : "other staging path");
      if (!volume.publications.on(node).isEmpty()) {
        kept(call, "one staging path");
      }
    }
  }

  private void unpublish(RecordedCall call, KnownVolume volume) {
    String node = WireFields.node(call);
    String path = WireFields.text(call, "target_path");
    TrackedUse thing = volume.publications.on(node).get(path);
    boolean known =
        knownPath(call, path, thing, volume.publications.any(node, TrackedUse::standing));
    known |= volume.publications.all.isEmpty();
    elsewhere(
        call,
        known || volume.publications.any(node, TrackedUse::possible),
        volume.publications.somewhere());
    undone(call, thing);
  }

  private void unstage(RecordedCall call, KnownVolume volume) {
    String node = WireFields.node(call);
    List<RecordedCall> evidence = new ArrayList<>();
    List<Map<String, TrackedUse>> published = List.of(volume.publications.on(node));
    String where = those(TrackedUse::standing, published, evidence);
    List<TrackedUse> left =
        volume.publications.on(node).values().stream().filter(TrackedUse::standing).toList();
    if (where.isEmpty()) {
      kept(call, "all unpublished");
    } else if (left.stream().allMatch(TrackedUse::refusedOften)) {
      excused(evidence, call, "never unpublished", where);
      left.forEach(TrackedUse::unknown);
    } else {
      judge(false, evidence, call, "still published", where);
    }
    neverAsked(call, "never asked", published);
    String path = WireFields.text(call, "staging_target_path");
    TrackedUse thing = volume.stagings.on(node).get(path);
    boolean known = knownPath(call, path, thing, volume.stagings.any(node, TrackedUse::standing));
    elsewhere(
        call,
        known || volume.stagings.any(node, TrackedUse::possible),
        volume.stagings.somewhere());
    undone(call, thing);
  }

  /**
   * Returns whether an earlier call tried to stage or publish the volume at the path that this call
   * removes.
   */
  private boolean knownPath(
      RecordedCall call, String path, @Nullable TrackedUse thing, boolean onNode) {
    boolean known = thing != null && thing.tried();
    if (!path.isEmpty() && (known || onNode)) {
      judge(known, call, "unknown path");
    }
    return known;
  }

  private void elsewhere(RecordedCall call, boolean here, boolean somewhere) {
    if (here || somewhere) {
      judge(here, call, "on another node");
    }
  }

  private void undone(RecordedCall call, @Nullable TrackedUse thing) {
    if (thing != null && thing.standing()) {
      kept(call, "undone");
    }
  }

  private void detach(
      RecordedCall call,
      Map<String, Map<String, TrackedUse>> stagings,
      Map<String, Map<String, TrackedUse>> publications) {
    List<RecordedCall> evidence = new ArrayList<>();
    String published = those(TrackedUse::standing, publications.values(), evidence);
    String staged = those(TrackedUse::standing, stagings.values(), evidence);
    gone(call, published, evidence, "all unpublished", "still published");
    gone(call, staged, evidence, "all unstaged", "still staged");
    judge(published.isEmpty() && staged.isEmpty(), call, "still in use");
    neverAsked(call, "never unpublished", publications.values());
    neverAsked(call, "never unstaged", stagings.values());
  }

  private void gone(
      RecordedCall call, String left, List<RecordedCall> evidence, String kept, String broken) {
    if (left.isEmpty()) {
      kept(call, kept);
    } else {
      judge(false, evidence, call, broken, left);
    }
  }

  /**
   * Judges whether the caller has tried to remove the uses that must end before this call. One
   * attempt is enough, whatever its outcome.
   */
  private void neverAsked(
      RecordedCall call, String about, Collection<Map<String, TrackedUse>> uses) {
    List<RecordedCall> evidence = new ArrayList<>();
    String where = those(TrackedUse::neverAskedBack, uses, evidence);
    if (!where.isEmpty()) {
      judge(false, evidence, call, about, where);
    }
  }

  /**
   * Returns the uses on the node that a call names. If the call names no node, returns the uses on
   * all nodes.
   */
  private Map<String, Map<String, TrackedUse>> on(
      String asked, Map<String, Map<String, TrackedUse>> uses) {
    Map<String, Map<String, TrackedUse>> found = new TreeMap<>(uses);
    found
        .keySet()
        .removeIf(
            node ->
                !asked.isEmpty() && !asked.equals(node) && !world.nodeIds(node).contains(asked));
    return found;
  }

  private void delete(RecordedCall call, KnownVolume volume) {
    List<RecordedCall> evidence = new ArrayList<>();
    List<Map<String, TrackedUse>> uses = new ArrayList<>(List.of(volume.attachments));
    uses.addAll(volume.stagings.all.values());
    uses.addAll(volume.publications.all.values());
    String where = those(TrackedUse::standing, uses, evidence);
    judge(where.isEmpty(), evidence, call, "still in use", where);
    if (volume.validated || volume.created != null) {
      judge(volume.created != null, call, "pre-provisioned");
    }
  }

  private void settled(RecordedCall call, @Nullable TrackedUse thing) {
    if (thing != null && thing.lost() != null) {
      kept(call, "outcome not known");
    }
  }

  /**
   * Judges how the caller handled a call whose outcome was lost. The caller must repeat or undo
   * that call before it removes a use on which the call depends.
   */
  private void lost(RecordedCall call, Map<String, TrackedUse> things, String what) {
    things.forEach(
        (where, thing) -> {
          RecordedCall lost = thing.lost();
          if (lost != null) {
            judge(
                false, List.of(lost), call, "outcome not known", what, quote(where), lost.number());
          }
        });
  }

  /**
   * Returns the paths of the uses that satisfy the condition, as text. Adds the calls that prove
   * these uses to {@code evidence}.
   */
  private static String those(
      Predicate<TrackedUse> so,
      Collection<Map<String, TrackedUse>> uses,
      List<RecordedCall> evidence) {
    List<String> where = new ArrayList<>();
    for (Map<String, TrackedUse> paths : uses) {
      paths.forEach(
          (path, use) -> {
            if (so.test(use)) {
              evidence.addAll(use.evidence());
              where.add(quote(path) + ref(use.maker()));
            }
          });
    }
    return String.join(", ", where);
  }
}
