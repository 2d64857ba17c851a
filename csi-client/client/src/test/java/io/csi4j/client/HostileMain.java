package io.csi4j.client;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * A process with a small heap that calls one plugin: for each line that it reads it makes the call
 * of that name, and prints what came of it.
 */
final class HostileMain {

  private HostileMain() {}

  /** The first socket, and the largest answer in bytes. */
  public static void main(String[] arguments) throws IOException {
    Logger.getLogger("").setLevel(Level.OFF);
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    ConnectOptions options =
        ConnectOptions.builder()
            .deadline(Duration.ofSeconds(60))
            .maxMessageBytes(Integer.parseInt(arguments[1]))
            .policies(policy -> policy.attempts(1).attemptDeadline(Duration.ofSeconds(10)))
            .listener(
                new CsiListener() {
                  @Override
                  public void onStart(Started event) {
                    begun.incrementAndGet();
                  }

                  @Override
                  public void onEnd(Ended event) {
                    ended.incrementAndGet();
                  }
                })
            .build();
    CsiPlugin plugin = CsiPlugin.connect(CsiEndpoint.of(Path.of(arguments[0])), options);
    System.out.println("connected");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("connect ")) {
        plugin.close();
        plugin = CsiPlugin.connect(CsiEndpoint.of(Path.of(line.substring(8))), options);
        System.out.println("connected");
      } else {
        System.out.println(outcome(plugin, line));
      }
    }
    plugin.close();
    // A call that was told twice, or never, would make them differ.
    System.out.println(begun.get() + " begun, " + ended.get() + " ended");
    System.out.println(
        "threads left: "
            + Stream.of(Thread.getAllStackTraces().keySet().toArray(Thread[]::new))
                .map(Thread::getName)
                .filter(name -> name.startsWith("csi4j-"))
                .toList());
  }

  private static String outcome(CsiPlugin plugin, String call) {
    try {
      return switch (call) {
        case "probe" -> "OK " + plugin.identity().probe();
        case "info" -> "OK " + plugin.identity().getPluginInfo().manifest().size();
        case "capabilities" -> "OK " + plugin.identity().getPluginCapabilities().offered().size();
        case "volumes" -> "OK " + plugin.controller().volumes().stream().count();
        default -> "no such call: " + call;
      };
    } catch (CsiException failure) {
      return failure.code()
          + " "
          + failure.outcome()
          + " "
          + failure.getClass().getSimpleName()
          + ": "
          + failure.failure().why();
    } catch (Throwable thrown) {
      return "threw " + thrown;
    }
  }
}
