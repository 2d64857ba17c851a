package io.csi4j.conformance.internal.store;

import io.csi4j.conformance.store.RecordStoreCheck;
import io.csi4j.conformance.store.RecordStoreFixture;
import io.csi4j.conformance.store.RecordStoreFixture.Ability;
import java.util.ArrayList;
import java.util.List;

/** Collects the checks that apply to a fixture. */
public final class AllChecks {

  private final RecordStoreFixture fixture;
  private final List<RecordStoreCheck> checks = new ArrayList<>();

  private AllChecks(RecordStoreFixture fixture) {
    this.fixture = fixture;
  }

  /** Returns all checks that apply to the fixture. */
  public static List<RecordStoreCheck> of(RecordStoreFixture fixture) {
    AllChecks all = new AllChecks(fixture);
    ReadingChecks.addTo(all);
    KeyChecks.addTo(all);
    WritingChecks.addTo(all);
    RemovalChecks.addTo(all);
    ScanningChecks.addTo(all);
    WatchingChecks.addTo(all);
    CrowdChecks.addTo(all);
    CallerChecks.addTo(all);
    LifeChecks.addTo(all);
    if (fixture.abilities().contains(Ability.TOGETHER)) {
      TogetherChecks.addTo(all);
    }
    if (fixture.abilities().contains(Ability.SHARED)) {
      SharedChecks.addTo(all);
      if (fixture.abilities().contains(Ability.TOGETHER)) {
        SharedChecks.addTogetherTo(all);
      }
    }
    if (fixture.abilities().contains(Ability.DURABLE)) {
      DurableChecks.addTo(all);
    }
    return List.copyOf(all.checks);
  }

  void add(String name, Scene.Body body) {
    checks.add(new OneCheck(name, fixture, body));
  }

  private record OneCheck(String name, RecordStoreFixture fixture, Scene.Body body)
      implements RecordStoreCheck {

    @Override
    public void run() {
      try (RecordStoreFixture.Place place = fixture.place();
          Scene scene = new Scene(fixture, place)) {
        body.run(scene);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("The check was interrupted: " + name + ".", e);
      } catch (Exception e) {
        throw new AssertionError("It threw an unexpected exception: " + e, e);
      }
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
