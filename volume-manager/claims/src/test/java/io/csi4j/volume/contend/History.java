package io.csi4j.volume.contend;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.model.ClaimMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** What all processes wrote down, put together: calls with their ends, and uses of volumes. */
final class History {

  /** What became of a call. */
  enum End {
    /** Nothing was told before the process was killed. */
    NONE,
    SAW,
    CONFLICT,
    WRITTEN,
    /** It had been written when the history began. */
    FOUND,
    UNKNOWN,
    FAILED
  }

  /** One call of a store. */
  static final class Call {
    final String id;
    final String volume;
    final long from;
    final boolean isWrite;
    final long expected;
    final String token;
    final String claim;

    End end = End.NONE;
    long to = Long.MAX_VALUE;
    long version;
    String seenToken = "";
    String seenDigest = "";

    Call(String id, String volume, long from, long expected, String token, String claim) {
      this.id = id;
      this.volume = volume;
      this.from = from;
      this.isWrite = !token.isEmpty();
      this.expected = expected;
      this.token = token;
      this.claim = claim;
    }

    /** Whether it told a version. */
    boolean isSight() {
      return end == End.SAW || end == End.CONFLICT || end == End.WRITTEN || end == End.FOUND;
    }

    Claim claim() {
      try {
        return new ClaimCodec().decode(HexFormat.of().parseHex(claim)).value();
      } catch (MalformedRecordException e) {
        throw new IllegalArgumentException(e);
      }
    }

    String digest() {
      return HistoryFile.digest(HexFormat.of().parseHex(claim));
    }

    @Override
    public String toString() {
      return (isWrite ? "write " : "read ") + id;
    }
  }

  /** Somebody uses a volume, leaves it, or finds a claim of the one that he follows on. */
  record Deed(String kind, String process, long at, String volume, String workload, String detail) {

    ClaimMode mode() {
      return ClaimMode.valueOf(detail);
    }
  }

  final Map<String, Call> calls = new HashMap<>();
  final List<Deed> deeds = new ArrayList<>();
  final List<String> held = new ArrayList<>();
  final List<String> wrong = new ArrayList<>();
  long first = Long.MAX_VALUE;
  long last = Long.MIN_VALUE;

  /** Takes in the lines of one process. */
  History with(List<String> lines) {
    for (String line : lines) {
      String[] words = line.split("\t", -1);
      long at = Long.parseLong(words[2]);
      first = Math.min(first, at);
      last = Math.max(last, at);
      switch (words[0]) {
        case "read" -> begin(new Call(words[1], words[3], at, 0, "", ""));
        case "write" ->
            begin(new Call(words[1], words[3], at, Long.parseLong(words[4]), words[5], words[6]));
        case "saw", "conflict", "written", "found", "unknown", "failed" -> end(words, at);
        case "uses", "finds" ->
            deeds.add(new Deed(words[0], words[1], at, words[3], words[4], words[5]));
        case "leaves" -> deeds.add(new Deed(words[0], words[1], at, words[3], words[4], ""));
        case "held" -> held.add(words[1] + ": " + words[3]);
        case "wrong" -> wrong.add(words[1] + ": " + words[3]);
        default -> throw new IllegalArgumentException(line);
      }
    }
    return this;
  }

  /** How often a volume was begun to be used. */
  long uses() {
    return deeds.stream().filter(deed -> deed.kind().equals("uses")).count();
  }

  private void begin(Call call) {
    if (calls.put(call.id, call) != null) {
      throw new IllegalArgumentException("Two calls are " + call.id + ".");
    }
  }

  private void end(String[] words, long at) {
    Call call = calls.get(words[1]);
    call.end =
        switch (words[0]) {
          case "saw" -> End.SAW;
          case "conflict" -> End.CONFLICT;
          case "written" -> End.WRITTEN;
          case "found" -> End.FOUND;
          case "unknown" -> End.UNKNOWN;
          default -> End.FAILED;
        };
    call.to = at;
    if (call.isSight()) {
      call.version = Long.parseLong(words[3]);
    }
    if (call.end == End.WRITTEN || call.end == End.FOUND) {
      call.seenToken = call.token;
      call.seenDigest = call.digest();
    } else if (call.version > 0) {
      call.seenToken = words[4];
      call.seenDigest = words[5];
    }
  }
}
