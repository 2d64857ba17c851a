package io.csi4j.volume.contend;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check finds what it is there to find: each defect is planted into a history without one. */
class HistoryCheckTest {

  private static final int VOLUMES = 3;
  private static final int DEEDS = 400;

  private static List<String> honest;

  @BeforeAll
  static void makeOne(@TempDir Path directory) throws IOException {
    honest = List.copyOf(played(directory.resolve("history"), new MemoryStore()));
  }

  /** What two contenders do who take turns, on a store. */
  private static List<String> played(Path file, RecordStore memory) throws IOException {
    Random turns = new Random(5);
    try (HistoryFile history = new HistoryFile("p.0", file);
        RecordStore store = new LookingFirst(new RecordedStore(memory, history))) {
      ClaimBook book = new ClaimBook(store, Clock.systemUTC());
      List<Contender> contenders = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        contenders.add(new Contender(book, history, NodeName.of("p" + i), i, VOLUMES, i));
      }
      // Deletions are rare; whatever the seed, some are waited for.
      for (int deed = 0; deed < DEEDS || deletions(file) < 3; deed++) {
        assertThat(deed).isLessThan(100 * DEEDS);
        if (!contenders.get(turns.nextInt(contenders.size())).act()) {
          history.wrong("a store in memory was of no help");
        }
      }
    }
    return Files.readAllLines(file);
  }

  /** A store that looks before it writes, so that there is much to read of it. */
  private static final class LookingFirst extends PassingStore {

    LookingFirst(RecordStore store) {
      super(store);
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      Optional<StoredRecord> there = read(writes.get(0).key());
      return there.equals(writes.get(0).seen())
          ? super.write(writes)
          : new WriteResult.Conflict(there.stream().toList());
    }
  }

  private static List<String> check(List<String> lines) {
    return HistoryCheck.of(new History().with(lines));
  }

  private static long deletions(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith("uses\t") && line.contains("\tbeing-deleted"))
        .count();
  }

  /** The numbers of the lines that begin with this word. */
  private static List<Integer> at(String word) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < honest.size(); i++) {
      if (honest.get(i).startsWith(word + "\t")) {
        found.add(i);
      }
    }
    return found;
  }

  private static List<String> with(int number, UnaryOperator<String[]> change) {
    List<String> lines = new ArrayList<>(honest);
    lines.set(number, String.join("\t", change.apply(lines.get(number).split("\t", -1))));
    return lines;
  }

  private static UnaryOperator<String[]> word(int index, String value) {
    return words -> {
      words[index] = value;
      return words;
    };
  }

  private static String wordOf(int number, int index) {
    return honest.get(number).split("\t", -1)[index];
  }

  @Test
  void anHonestHistoryIsNotDoubted() {
    assertThat(check(honest)).isEmpty();
    assertThat(at("write")).hasSizeGreaterThan(50);
    assertThat(at("uses")).hasSizeGreaterThan(10);
    assertThat(at("uses").stream().filter(it -> wordOf(it, 4).equals("being-deleted")))
        .hasSizeGreaterThan(2);
  }

  @Test
  void writesOfWhichNothingWasToldMayHaveBeenMadeOrNot() {
    List<String> lines = new ArrayList<>(honest);
    lines.set(at("written").get(3), honest.get(at("written").get(3)).replace("written", "unknown"));
    lines.remove((int) at("written").get(7));

    assertThat(check(lines)).isEmpty();
  }

  @Test
  void aWriteThatWasToldAndIsGoneIsFound() {
    // Its end tells a version that no later write follows on.
    int lost = at("written").get(4);
    long version = Long.parseLong(wordOf(lost, 3));

    assertThat(check(with(lost, word(3, Long.toString(version + 1_000)))))
        .anyMatch(line -> line.contains(" made version ") && line.contains(", and expected "));
  }

  @Test
  void aReadOfSomethingOlderThanWasSeenBeforeIsFound() {
    int late = -1;
    for (int number : at("saw")) {
      if (Long.parseLong(wordOf(number, 3)) > 2) {
        late = number;
      }
    }
    String volume = wordOf(late - 1, 3);
    String first =
        at("saw").stream()
            .filter(number -> wordOf(number - 1, 3).equals(volume))
            .filter(number -> !wordOf(number, 3).equals("0"))
            .map(honest::get)
            .findFirst()
            .orElseThrow();
    String[] old = first.split("\t", -1);

    assertThat(
            check(
                with(
                    late,
                    words -> new String[] {words[0], words[1], words[2], old[3], old[4], old[5]})))
        .singleElement()
        .asString()
        .matches(volume + ": read p.0.\\d+ saw version \\d+ though \\d+ was before");
  }

  @Test
  void aReadOfSomethingThatNobodyWroteIsFound() {
    int number =
        at("saw").stream().filter(n -> !wordOf(n, 3).equals("0")).findFirst().orElseThrow();

    assertThat(check(with(number, word(4, new UUID(0, 0).toString()))))
        .singleElement()
        .asString()
        .endsWith(", which nobody wrote");
  }

  @Test
  void aReadOfAnotherClaimThanWasWrittenIsFound() {
    int number =
        at("saw").stream().filter(n -> !wordOf(n, 3).equals("0")).findFirst().orElseThrow();

    assertThat(check(with(number, word(5, "0"))))
        .singleElement()
        .asString()
        .matches(".* saw another claim than write p\\.0\\.\\d+ wrote");
  }

  @Test
  void aReadOfWhatIsOnlyWrittenLaterIsFound() {
    int number = at("written").get(5);
    String call = wordOf(number, 1);
    int write = honest.indexOf(lineOf("write", call));
    int seen = nextSight(number);

    List<String> lines = new ArrayList<>(honest);
    String moment = Long.toString(Long.parseLong(wordOf(seen, 2)) + 1);
    lines.set(write, changed(lines.get(write), 2, moment));
    lines.set(number, changed(lines.get(number), 2, moment + "0"));

    assertThat(check(lines)).anyMatch(line -> line.endsWith(" before write " + call + " began"));
  }

  private static String lineOf(String kind, String call) {
    return honest.stream()
        .filter(line -> line.startsWith(kind + "\t" + call + "\t"))
        .findFirst()
        .orElseThrow();
  }

  private static String changed(String line, int index, String value) {
    String[] words = line.split("\t", -1);
    words[index] = value;
    return String.join("\t", words);
  }

  /** The first look at what this line says was written. */
  private static int nextSight(int written) {
    String token = lineOf("write", wordOf(written, 1)).split("\t", -1)[5];
    return at("saw").stream()
        .filter(number -> number > written && wordOf(number, 3).equals(wordOf(written, 3)))
        .filter(number -> wordOf(number, 4).equals(token))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aWriteThatWasRefusedAndIsThereIsFound() {
    int number = at("written").get(5);
    assertThat(nextSight(number)).isGreaterThan(number);

    assertThat(check(with(number, words -> new String[] {"failed", words[1], words[2]})))
        .singleElement()
        .asString()
        .endsWith(" was told that it is not written, and is");
  }

  @Test
  void aConflictWithTheExpectedVersionIsFound() {
    List<String> lines = new ArrayList<>();
    lines.add("write\tp.1\t1\tdefault/v0\t0\t" + new UUID(0, 1) + "\t00");
    lines.add("conflict\tp.1\t2\t0");

    assertThat(check(lines))
        .containsExactly("default/v0: write p.1 was a conflict with the version that it expected");
  }

  @Test
  void aWriteThatWasMadeTwiceIsFound() {
    int number = at("written").get(5);
    int seen = nextSight(number);

    assertThat(check(with(seen, word(3, Long.toString(Long.parseLong(wordOf(seen, 3)) + 500)))))
        .anyMatch(line -> line.contains(" has the versions "));
  }

  // ---- claims that do not follow on each other, made through the store

  private static final class Steps implements AutoCloseable {
    private final Path file;
    private final HistoryFile history;
    private final StoredClaims store;
    private Seen<Claim> at;

    Steps(Path directory) {
      file = directory.resolve("steps");
      history = new HistoryFile("p.0", file);
      store = StoredClaims.in(new RecordedStore(new MemoryStore(), history));
      at = store.read(VolumeKey.of("v0"));
    }

    Steps to(long epoch, ClaimHolder... holders) {
      SortedMap<WorkloadId, ClaimHolder> all = new TreeMap<>();
      for (ClaimHolder holder : holders) {
        all.put(holder.workload(), holder);
      }
      Optional<Claim.Use> use =
          all.isEmpty()
              ? Optional.empty()
              : Optional.of(new Claim.Use(Contender.access(0), AttachmentMode.FILESYSTEM));
      Claim next = new Claim(VolumeKey.of("v0"), use, all, epoch, Optional.empty());
      at = store.write(at, next);
      return this;
    }

    String wrong() throws IOException {
      history.close();
      return String.join("\n", check(Files.readAllLines(file)));
    }

    @Override
    public void close() {
      history.close();
    }
  }

  private static ClaimHolder holder(String workload, long epoch, ClaimHolder.State state) {
    return new ClaimHolder(
        WorkloadId.of(workload),
        NodeName.of("n-" + workload),
        Optional.empty(),
        ClaimMode.WRITE,
        state,
        epoch,
        Instant.EPOCH,
        new ClaimHolder.Attachment.NotNeeded());
  }

  @Test
  void aSecondWriterIsFound(@TempDir Path directory) throws IOException {
    try (Steps steps = new Steps(directory)) {
      ClaimHolder first = holder("a", 1, ClaimHolder.State.TAKEN);
      steps.to(1, first).to(2, first, holder("b", 2, ClaimHolder.State.TAKEN));

      assertThat(steps.wrong()).endsWith(" let 2 write to one volume: [a, b]");
    }
  }

  @Test
  void aClaimThatWasDroppedIsFound(@TempDir Path directory) throws IOException {
    try (Steps steps = new Steps(directory)) {
      steps.to(1, holder("a", 1, ClaimHolder.State.NODE_DETACHED)).to(1);

      assertThat(steps.wrong()).endsWith(" dropped the claim of a, which was NODE_DETACHED");
    }
  }

  @Test
  void aClaimThatTookThePlaceOfAnotherOneIsFound(@TempDir Path directory) throws IOException {
    try (Steps steps = new Steps(directory)) {
      steps
          .to(1, holder("a", 1, ClaimHolder.State.TAKEN))
          .to(2, holder("b", 2, ClaimHolder.State.TAKEN));

      assertThat(steps.wrong()).endsWith(" changed the claims of [a, b] at once");
    }
  }

  @Test
  void aClaimThatGoesBackOrIsNotNewIsFound(@TempDir Path directory) throws IOException {
    try (Steps steps = new Steps(directory)) {
      steps
          .to(1, holder("a", 1, ClaimHolder.State.UNPUBLISHING))
          .to(1, holder("a", 1, ClaimHolder.State.TAKEN))
          .to(2, holder("a", 2, ClaimHolder.State.TAKEN))
          .to(2, holder("a", 2, ClaimHolder.State.READY_TO_FREE))
          .to(2)
          .to(2, holder("b", 2, ClaimHolder.State.TAKEN))
          .to(2, holder("b", 2, ClaimHolder.State.READY_TO_FREE))
          .to(2)
          .to(1);

      assertThat(steps.wrong().lines().map(line -> line.replaceAll("^.*?write p\\.0\\.\\d+ ", "")))
          .containsExactly(
              "took a claim for a that is not new",
              "took a back from UNPUBLISHING to TAKEN",
              "put another claim of a in the place of one",
              "took a claim for b that is not new",
              "took the epoch back from 2 to 1");
    }
  }

  @Test
  void aWorkloadBesideADeletionOrAHoldThatIsKeptByAnotherIsFound(@TempDir Path directory)
      throws IOException {
    try (Steps steps = new Steps(directory)) {
      ClaimHolder first = holder("being-deleted", 1, ClaimHolder.State.TAKEN);
      steps
          .to(1, first)
          .to(2, holder("being-deleted", 2, ClaimHolder.State.TAKEN))
          .to(2)
          .to(3, holder("being-deleted", 3, ClaimHolder.State.TAKEN))
          .to(3, holder("being-deleted", 3, ClaimHolder.State.UNPUBLISHING))
          .to(
              4,
              holder("being-deleted", 3, ClaimHolder.State.UNPUBLISHING),
              holder("a", 4, ClaimHolder.State.TAKEN));

      assertThat(steps.wrong().lines().map(line -> line.replaceAll("^.*?write p\\.0\\.\\d+ ", "")))
          .containsExactly(
              "changed the hold of a deletion without taking it over",
              "let others hold a volume that is being deleted: [a, being-deleted]");
    }
  }

  // ---- uses

  private static List<String> deeds(String... lines) {
    List<String> all = new ArrayList<>();
    for (String line : lines) {
      String[] words = line.split(" ", -1);
      all.add(
          String.join("\t", words[0], "p", Integer.toString(all.size()), "default/" + words[1])
              + "\t"
              + String.join("\t", List.of(words).subList(2, words.length)));
    }
    return check(all);
  }

  @Test
  void whoUsesAVolumeBesideAnotherOneIsFound() {
    assertThat(deeds("uses v0 a WRITE 1", "leaves v0 a", "uses v0 b WRITE 2")).isEmpty();
    assertThat(deeds("uses v2 a WRITE 1", "uses v2 b READ 2")).isEmpty();
    assertThat(deeds("uses v0 a WRITE 1", "uses v0 b WRITE 2"))
        .containsExactly("default/v0: used at one time by {a=WRITE, b=WRITE} at 1");
    assertThat(deeds("uses v2 a WRITE 1", "uses v2 b READ 2", "uses v2 b WRITE 2"))
        .containsExactly("default/v2: used at one time by {a=WRITE, b=WRITE} at 2");
  }

  @Test
  void whoUsesAVolumeWhileItIsBeingDeletedIsFound() {
    assertThat(
            deeds("uses v2 being-deleted WRITE 1", "leaves v2 being-deleted", "uses v2 b READ 2"))
        .isEmpty();
    assertThat(deeds("uses v2 being-deleted WRITE 1", "uses v2 b READ 2"))
        .containsExactly("default/v2: used at one time by {b=READ, being-deleted=WRITE} at 1");
    assertThat(deeds("uses v2 being-deleted WRITE 1", "finds v2 being-deleted none"))
        .containsExactly("default/v2: being-deleted used it, and its claim was none");
  }

  @Test
  void aClaimThatAKilledProcessHadAndTheNextDoesNotFindIsFound() {
    assertThat(deeds("uses v0 a WRITE 1", "finds v0 a TAKEN", "uses v0 b WRITE 2")).isEmpty();
    assertThat(deeds("uses v0 a WRITE 1", "finds v0 a none"))
        .containsExactly("default/v0: a used it, and its claim was none");
    assertThat(deeds("uses v0 a WRITE 1", "uses v0 b WRITE 2", "finds v0 a TAKEN"))
        .containsExactly("default/v0: used at one time by {a=WRITE, b=WRITE} at 1");
  }

  @Test
  void whatAProcessFoundWrongIsTold() {
    assertThat(check(List.of("wrong\tp\t1\tthe sky has fallen")))
        .containsExactly("p: the sky has fallen");
  }

  // ---- a store that loses, seen as a whole

  @Test
  void aStoreThatForgetsOneWriteIsFound(@TempDir Path directory) throws IOException {
    assertThat(check(played(directory.resolve("forgetful"), new Forgetful(50))))
        .anyMatch(
            line -> line.matches("default/v\\d: (read|write) .* though \\d+ was (seen )?before"));
    assertThat(check(played(directory.resolve("fair"), new Forgetful(Integer.MAX_VALUE))))
        .isEmpty();
  }

  /** A store that says that a write is made, and does not make it. */
  private static final class Forgetful extends PassingStore {
    private int left;

    Forgetful(int left) {
      super(new MemoryStore());
      this.left = left;
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      left--;
      if (left != 0) {
        return super.write(writes);
      }
      RecordWrite lost = writes.get(0);
      long version = lost.seen().map(StoredRecord::version).orElse(0L) + 1;
      return new WriteResult.Written(
          List.of(new StoredRecord(lost.key(), version, lost.next().orElseThrow())));
    }
  }
}
