package io.csi4j.examples;

import io.csi4j.examples.RigFact.AtRest;
import io.csi4j.examples.RigFact.Attested;
import io.csi4j.examples.RigFact.Call;
import io.csi4j.examples.RigFact.Deleted;
import io.csi4j.examples.RigFact.Expanded;
import io.csi4j.examples.RigFact.Fenced;
import io.csi4j.examples.RigFact.Followed;
import io.csi4j.examples.RigFact.Found;
import io.csi4j.examples.RigFact.GivingBack;
import io.csi4j.examples.RigFact.Granted;
import io.csi4j.examples.RigFact.Grown;
import io.csi4j.examples.RigFact.Kind;
import io.csi4j.examples.RigFact.NotEnded;
import io.csi4j.examples.RigFact.Size;
import io.csi4j.examples.RigFact.Wrote;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Judges the history of a cluster. Where a fact leaves two readings open, such as a call without an
 * answer, the one in favour of the cluster counts.
 */
final class RigJudge {

  /** The rules; the name of each begins its findings. */
  enum Rule {
    SECOND_WRITER,
    SECOND_GRANT,
    DETACHED_IN_USE,
    LOST_WRITE,
    LOST_GROWTH,
    LOST_VOLUME,
    NOT_ENDED,
    ORPHAN
  }

  /**
   * One breach.
   *
   * @param volume the volume or the node that it is about
   */
  record Finding(Rule rule, String volume, String what) {

    @Override
    public String toString() {
      return rule + " " + volume + ": " + what;
    }
  }

  /** A time in which a volume could be written to at a place, or was granted to it. */
  private record Span(String volume, String place, Instant from, Instant to) {

    boolean overlaps(Span other) {
      return from.isBefore(other.to) && other.from.isBefore(to);
    }
  }

  private final List<RigFact> facts;
  private final List<Finding> findings = new ArrayList<>();

  private RigJudge(Collection<? extends RigFact> facts) {
    List<RigFact> sorted = new ArrayList<>(facts);
    sorted.sort(Comparator.comparing(RigFact::at));
    this.facts = List.copyOf(sorted);
  }

  /** Returns the breaches of all rules in this history, which may be in any order. */
  static List<Finding> judge(Collection<? extends RigFact> facts) {
    RigJudge judge = new RigJudge(facts);
    List<Span> writable = judge.writable();
    judge.apart(Rule.SECOND_WRITER, writable);
    judge.apart(Rule.SECOND_GRANT, judge.granted());
    judge.detachments(writable);
    judge.data();
    judge.expansions();
    for (RigFact each : judge.facts) {
      if (each instanceof NotEnded open) {
        judge.add(
            Rule.NOT_ENDED, open.what(), open.seen() + " after " + open.after().toSeconds() + " s");
      } else if (each instanceof AtRest rest) {
        judge.rest(rest);
      }
    }
    return List.copyOf(judge.findings);
  }

  private void add(Rule rule, String volume, String what) {
    findings.add(new Finding(rule, volume, what));
  }

  // ---- who could write, and who was allowed to

  /**
   * Returns when a node certainly had a writable publish: from the answer of the call to the
   * beginning of the next one that ends it, or to the fence.
   */
  private List<Span> writable() {
    List<Call> calls = calls(Kind.NODE_PUBLISH, Kind.NODE_UNPUBLISH);
    List<Span> spans = new ArrayList<>();
    for (Call each : calls) {
      if (each.kind() == Kind.NODE_PUBLISH && each.isWriter() && each.isDone()) {
        Instant from = each.ended().orElseThrow();
        Instant to = endOf(each, calls);
        if (from.isBefore(to)) {
          spans.add(new Span(each.volume(), each.node(), from, to));
        }
      }
    }
    return spans;
  }

  private Instant endOf(Call publish, List<Call> calls) {
    Instant end = Instant.MAX;
    for (Call each : calls) {
      // One that began earlier and was still open may have been done after the publish.
      boolean isOver = each.ended().filter(it -> it.isBefore(publish.at())).isPresent();
      if (each.kind() == Kind.NODE_UNPUBLISH
          && each.volume().equals(publish.volume())
          && each.node().equals(publish.node())
          && !isOver) {
        end = earlier(end, each.at());
      }
    }
    for (RigFact each : facts) {
      if (each instanceof Fenced fence
          && fence.node().equals(publish.node())
          && fence.at().isAfter(publish.at())) {
        end = earlier(end, fence.at());
      }
    }
    return end;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private List<Call> calls(Kind... kinds) {
    List<Kind> wanted = List.of(kinds);
    return facts.stream()
        .filter(Call.class::isInstance)
        .map(Call.class::cast)
        .filter(each -> wanted.contains(each.kind()))
        .toList();
  }

  /** Returns when a workload certainly had a claim: until it was to be given back, or attested. */
  private List<Span> granted() {
    List<Span> spans = new ArrayList<>();
    for (RigFact each : facts) {
      if (each instanceof Granted grant && !isAttestedThen(grant) && !isGivenBackThen(grant)) {
        Instant end =
            facts.stream()
                .filter(it -> !it.at().isBefore(grant.at()) && ends(it, grant))
                .map(RigFact::at)
                .findFirst()
                .orElse(Instant.MAX);
        spans.add(
            new Span(grant.volume(), grant.workload() + " on " + grant.node(), grant.at(), end));
      }
    }
    return spans;
  }

  /** Whether the node was being attested when the grant was known: the claim may have ended. */
  private boolean isAttestedThen(Granted grant) {
    return facts.stream()
        .filter(Attested.class::isInstance)
        .map(Attested.class::cast)
        .anyMatch(
            each ->
                each.node().equals(grant.node())
                    && !each.at().isAfter(grant.at())
                    && !each.answered().isBefore(grant.at()));
  }

  /**
   * Whether the claim was to be given back before it was told once more: a node that could not
   * report that does so later.
   */
  private boolean isGivenBackThen(Granted grant) {
    return facts.stream()
        .filter(Granted.class::isInstance)
        .map(Granted.class::cast)
        .filter(first -> first.volume().equals(grant.volume()))
        .filter(first -> first.epoch().equals(grant.epoch()))
        .anyMatch(
            first ->
                facts.stream()
                    .anyMatch(
                        each ->
                            !each.at().isBefore(first.at())
                                && each.at().isBefore(grant.at())
                                && ends(each, grant)));
  }

  private static boolean ends(RigFact fact, Granted grant) {
    if (fact instanceof GivingBack back) {
      return back.volume().equals(grant.volume()) && back.workload().equals(grant.workload());
    }
    return fact instanceof Attested attested && attested.node().equals(grant.node());
  }

  private void apart(Rule rule, List<Span> spans) {
    for (int i = 0; i < spans.size(); i++) {
      for (Span other : spans.subList(i + 1, spans.size())) {
        Span one = spans.get(i);
        if (one.volume().equals(other.volume())
            && !one.place().equals(other.place())
            && one.overlaps(other)) {
          add(rule, one.volume(), one + " and " + other);
        }
      }
    }
  }

  /** A detachment that ended while the volume was certainly mounted there: its proof was wrong. */
  private void detachments(List<Span> writable) {
    for (Call each : calls(Kind.CONTROLLER_UNPUBLISH)) {
      for (Span span : writable) {
        if (each.isDone()
            && span.volume().equals(each.volume())
            && span.place().equals(each.node())
            && span.from().isBefore(each.at())
            && each.ended().orElseThrow().isBefore(span.to())) {
          add(Rule.DETACHED_IN_USE, each.volume(), each + " during " + span);
        }
      }
    }
  }

  // ---- what was acknowledged

  /** What a volume must have. */
  private static final class Content {
    long written;
    long attempted;
    long bytes;
  }

  private void data() {
    Map<String, Content> contents = new HashMap<>();
    for (RigFact each : facts) {
      if (each instanceof Wrote wrote) {
        Content content = contents.computeIfAbsent(wrote.volume(), key -> new Content());
        content.attempted = Math.max(content.attempted, wrote.number());
        content.written = wrote.isAcknowledged() ? wrote.number() : content.written;
      } else if (each instanceof Found found) {
        found(contents.computeIfAbsent(found.volume(), key -> new Content()), found);
      } else if (each instanceof Grown grown) {
        Content content = contents.computeIfAbsent(grown.volume(), key -> new Content());
        content.bytes = Math.max(content.bytes, grown.bytes());
      } else if (each instanceof Size size) {
        Content content = contents.computeIfAbsent(size.volume(), key -> new Content());
        if (size.bytes() < content.bytes) {
          add(
              Rule.LOST_GROWTH,
              size.volume(),
              size.where() + " has " + size.bytes() + " bytes of " + content.bytes);
        }
      } else if (each instanceof Deleted deleted) {
        contents.remove(deleted.volume());
      }
    }
  }

  private void found(Content content, Found found) {
    if (found.number() < content.written || found.number() > content.attempted) {
      add(
          Rule.LOST_WRITE,
          found.volume(),
          "has "
              + found.number()
              + " on "
              + found.node()
              + ", and "
              + content.written
              + " was written; tried were "
              + content.attempted);
    }
    content.written = found.number();
    content.attempted = found.number();
  }

  /** A node that is said to follow a size, and whose plugin was never called for it. */
  private void expansions() {
    for (RigFact each : facts) {
      if (each instanceof Followed followed
          && facts.stream()
              .filter(Expanded.class::isInstance)
              .map(Expanded.class::cast)
              .noneMatch(
                  it ->
                      it.volume().equals(followed.volume())
                          && it.node().equals(followed.node())
                          && it.bytes() >= followed.bytes()
                          && !it.at().isAfter(followed.at()))) {
        add(
            Rule.LOST_GROWTH,
            followed.volume(),
            followed.node() + " never let its filesystem follow " + followed.bytes() + " bytes");
      }
    }
  }

  // ---- what is left

  private void rest(AtRest rest) {
    for (String each : rest.stored()) {
      if (!rest.wanted().contains(each)) {
        add(Rule.ORPHAN, each, "is at the storage, and on no record");
      }
    }
    for (String each : rest.wanted()) {
      if (!rest.stored().contains(each)) {
        add(Rule.LOST_VOLUME, each, "was created, and is not at the storage");
      }
    }
    rest.attached().forEach(each -> add(Rule.ORPHAN, each, "is attached without a claim"));
    rest.claims().forEach(each -> add(Rule.ORPHAN, each, "is a claim of no workload"));
    new TreeMap<>(rest.mounts())
        .forEach((node, all) -> all.forEach(each -> add(Rule.ORPHAN, node, "has mounted " + each)));
    new TreeMap<>(rest.known())
        .forEach((node, all) -> all.forEach(each -> add(Rule.ORPHAN, node, "knows of " + each)));
  }
}
