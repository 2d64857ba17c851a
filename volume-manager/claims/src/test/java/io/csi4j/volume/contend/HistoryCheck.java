package io.csi4j.volume.contend;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.contend.History.Call;
import io.csi4j.volume.contend.History.End;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Whether a history could have come from claims that are kept as they must be. Per volume there has
 * to be one order of all calls that each of them could have met, and that goes with the time: what
 * had ended before another thing began comes before it. As each write has a version, and names the
 * one that it followed on, there is only one order to try: that of the versions.
 */
final class HistoryCheck {

  private final List<String> found = new ArrayList<>();

  private HistoryCheck() {}

  /** What is wrong with it; nothing if it is as it has to be. */
  static List<String> of(History history) {
    HistoryCheck check = new HistoryCheck();
    check.found.addAll(history.wrong);
    Map<String, List<Call>> volumes =
        history.calls.values().stream()
            .collect(Collectors.groupingBy(call -> call.volume, TreeMap::new, Collectors.toList()));
    volumes.forEach(check::volume);
    check.found.addAll(UseCheck.of(history));
    return check.found;
  }

  private void volume(String volume, List<Call> calls) {
    Map<String, Call> byToken = new HashMap<>();
    for (Call call : calls) {
      if (call.isWrite && byToken.put(call.token, call) != null) {
        wrong(volume, "two writes have the mark " + call.token);
      }
    }
    SortedMap<Long, Call> writes = writes(volume, calls, byToken);
    chain(volume, writes);
    refused(volume, calls, writes);
    time(volume, calls, writes);
    steps(volume, writes.values());
  }

  private void wrong(String volume, String what) {
    found.add(volume + ": " + what);
  }

  /** The writes that were seen, by their versions. */
  private SortedMap<Long, Call> writes(String volume, List<Call> calls, Map<String, Call> byToken) {
    SortedMap<Long, Call> writes = new TreeMap<>();
    Map<String, Long> versions = new HashMap<>();
    for (Call call : calls) {
      if (!call.isSight() || call.version == 0) {
        continue;
      }
      Call write = byToken.get(call.seenToken);
      if (write == null) {
        wrong(volume, call + " saw version " + call.version + ", which nobody wrote");
        continue;
      }
      if (!write.digest().equals(call.seenDigest)) {
        wrong(volume, call + " saw another claim than " + write + " wrote");
      }
      Call other = writes.put(call.version, write);
      if (other != null && other != write) {
        wrong(volume, "version " + call.version + " is of " + other + " and of " + write);
      }
      Long before = versions.put(call.seenToken, call.version);
      if (before != null && before != call.version) {
        wrong(volume, write + " has the versions " + before + " and " + call.version);
      }
    }
    return writes;
  }

  /** Each write follows on the version that it expected: so none got lost, and none slipped in. */
  private void chain(String volume, SortedMap<Long, Call> writes) {
    long before = 0;
    for (Map.Entry<Long, Call> entry : writes.entrySet()) {
      Call write = entry.getValue();
      if (write.expected != before) {
        wrong(
            volume,
            write
                + " made version "
                + entry.getKey()
                + " of "
                + before
                + ", and expected "
                + write.expected);
      }
      before = entry.getKey();
    }
  }

  private void refused(String volume, List<Call> calls, SortedMap<Long, Call> writes) {
    for (Call call : calls) {
      boolean isDenied = call.end == End.CONFLICT || call.end == End.FAILED;
      if (call.isWrite && isDenied && writes.containsValue(call)) {
        wrong(volume, call + " was told that it is not written, and is");
      }
      if (call.end == End.CONFLICT && call.version == call.expected) {
        wrong(volume, call + " was a conflict with the version that it expected");
      }
    }
  }

  /** A moment at which a call begins or ends. */
  private record Moment(long at, boolean isEnd, Call call) {}

  private void time(String volume, List<Call> calls, SortedMap<Long, Call> writes) {
    Map<Call, Long> made = new HashMap<>();
    writes.forEach((version, write) -> made.put(write, version));
    List<Moment> moments = new ArrayList<>();
    for (Call call : calls) {
      moments.add(new Moment(call.from, false, call));
      if (call.isSight()) {
        moments.add(new Moment(call.to, true, call));
      }
    }
    moments.sort(Comparator.comparingLong(Moment::at).thenComparing(Moment::isEnd));
    long reached = 0;
    for (Moment moment : moments) {
      Call call = moment.call();
      if (moment.isEnd()) {
        reached = Math.max(reached, call.version);
        Call write = writes.get(call.version);
        if (write != null && write.from > call.to) {
          wrong(volume, call + " saw version " + call.version + " before " + write + " began");
        }
        continue;
      }
      Long version = made.get(call);
      if (version != null && version <= reached) {
        wrong(
            volume, call + " made version " + version + " though " + reached + " was seen before");
      }
      if (version == null && call.isSight() && call.version < reached) {
        wrong(volume, call + " saw version " + call.version + " though " + reached + " was before");
      }
    }
  }

  /** The claims that were written, one after the other. */
  private void steps(String volume, Iterable<Call> writes) {
    Optional<Claim> before = Optional.empty();
    for (Call write : writes) {
      Claim now = write.claim();
      String problem =
          write.end == End.FOUND
              ? ""
              : StepCheck.of(before.orElseGet(() -> Claim.none(now.volume())), now);
      if (!problem.isEmpty()) {
        wrong(volume, write + " " + problem);
      }
      before = Optional.of(now);
    }
  }
}
