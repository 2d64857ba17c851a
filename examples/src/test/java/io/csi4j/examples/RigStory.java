package io.csi4j.examples;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Everything that a rig does and sees: lines in a file, for people, and facts, for the judge. */
final class RigStory implements AutoCloseable {

  private final Path file;
  private final PrintStream out;
  private final Collection<RigFact> facts = new ConcurrentLinkedQueue<>();

  RigStory(Path file) {
    this.file = file;
    try {
      out = new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Something was done, or seen. */
  void tell(String who, String what) {
    out.println(Instant.now() + " " + who + " " + what);
  }

  void add(RigFact fact) {
    facts.add(fact);
    if (!(fact instanceof RigFact.Call)) {
      out.println(Instant.now() + " fact " + fact);
    }
  }

  List<RigFact> facts() {
    return List.copyOf(facts);
  }

  /** Forgets the calls, which are judged round by round. */
  void forgetCalls() {
    facts.removeIf(RigFact.Call.class::isInstance);
  }

  /** The lines and the calls that name one of these, for a finding. */
  String about(Collection<String> names) {
    try {
      List<String> all = new ArrayList<>(Files.readAllLines(file));
      facts.stream()
          .filter(RigFact.Call.class::isInstance)
          .map(it -> it.at() + " " + it)
          .forEach(all::add);
      all.removeIf(line -> names.stream().noneMatch(line::contains));
      all.sort(null);
      return String.join("\n", all.subList(Math.max(0, all.size() - 200), all.size()));
    } catch (IOException failed) {
      return failed.toString();
    }
  }

  @Override
  public void close() {
    out.close();
  }
}
