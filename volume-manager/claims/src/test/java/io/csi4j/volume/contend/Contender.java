package io.csi4j.volume.contend;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Claims volumes by chance, uses them, and gives them back. Obeys what a host has to obey: it uses
 * what it surely has, leaves before it gives back, and when it does not know what became of
 * something, or follows on one that was killed, it gives back what it finds and does not use it.
 * The first thread of a process also deletes one volume again and again: it holds the claims of it,
 * and no workload may use it until it lets go.
 */
final class Contender {

  private static final int WORKLOADS = 2;
  private static final int DELETIONS = 4;

  /** What it knows of one claim. */
  private static final class Own {
    private final VolumeUse usage;
    private final AccessMode access;
    private Knowledge knowledge = Knowledge.UNSURE;
    private Optional<ClaimMode> used = Optional.empty();
    private long epoch;

    Own(VolumeUse usage, AccessMode access) {
      this.usage = usage;
      this.access = access;
    }

    boolean isDeletion() {
      return usage.workload().equals(Claim.DELETION);
    }
  }

  private enum Knowledge {
    FREE,
    USED,
    RETURNING,
    UNSURE
  }

  private final ClaimBook book;
  private final HistoryFile history;
  private final NodeName node;
  private final Random random;
  private final List<Own> all = new ArrayList<>();

  Contender(
      ClaimBook book, HistoryFile history, NodeName node, int thread, int volumes, long seed) {
    this.book = book;
    this.history = history;
    this.node = node;
    // The first numbers of neighbouring seeds are nearly the same.
    this.random = new Random(new SplittableRandom(seed).nextLong());
    for (int v = 0; v < volumes; v++) {
      for (int w = 0; w < WORKLOADS; w++) {
        WorkloadId workload = WorkloadId.of(node + "-t" + thread + "-w" + w);
        all.add(new Own(VolumeUse.of(VolumeKey.of("v" + v), workload), access(v)));
      }
      if (thread == 0 && node.value().equals("p" + v)) {
        // Few workloads leave a volume alone for long.
        Own deletion = new Own(VolumeUse.of(VolumeKey.of("v" + v), Claim.DELETION), access(v));
        all.addAll(Collections.nCopies(DELETIONS, deletion));
      }
    }
  }

  /** Which access mode the volume with this number has. */
  static AccessMode access(int volume) {
    return volume % 3 == 2 ? AccessMode.MULTI_NODE_SINGLE_WRITER : AccessMode.SINGLE_NODE_WRITER;
  }

  /** Does one thing. False if the store was of no help. */
  boolean act() {
    Own own = all.get(random.nextInt(all.size()));
    try {
      switch (own.knowledge) {
        case UNSURE -> find(own);
        case FREE -> {
          if (own.isDeletion()) {
            hold(own);
          } else {
            claim(own);
          }
        }
        case USED -> use(own);
        case RETURNING -> giveBack(own);
      }
      return true;
    } catch (ClaimException e) {
      leave(own);
      own.knowledge = Knowledge.UNSURE;
      if (e.outcome() == ChangeOutcome.HELD) {
        history.held(e.getMessage());
      }
      return e.outcome() == ChangeOutcome.REFUSED;
    }
  }

  private void find(Own own) {
    Optional<ClaimHolder> found = book.read(own.usage.volume()).holder(own.usage.workload());
    history.finds(own.usage, found.map(holder -> holder.state().toString()).orElse("none"));
    own.knowledge = found.isPresent() ? Knowledge.RETURNING : Knowledge.FREE;
  }

  private void claim(Own own) {
    boolean isForOne = own.access == AccessMode.SINGLE_NODE_WRITER;
    ClaimMode mode = isForOne || random.nextInt(5) < 2 ? ClaimMode.WRITE : ClaimMode.READ;
    try {
      ClaimHolder holder =
          book.claim(
              ClaimRequest.builder(
                      own.usage, node, new Claim.Use(own.access, AttachmentMode.FILESYSTEM), mode)
                  .build());
      begin(own, holder);
    } catch (ClaimException e) {
      if (e.code() != OperatorCode.CLAIM_HELD_BY && e.code() != OperatorCode.VOLUME_BEING_DELETED) {
        throw e;
      }
    }
  }

  private void hold(Own own) {
    try {
      own.epoch = book.holdForDeletion(own.usage.volume());
      own.knowledge = Knowledge.USED;
      own.used = Optional.of(ClaimMode.WRITE);
      history.uses(own.usage, ClaimMode.WRITE, own.epoch);
    } catch (ClaimException e) {
      if (e.code() != OperatorCode.VOLUME_CLAIMED) {
        throw e;
      }
    }
  }

  /** Another process may have begun it: it is ended by the hold of this one. */
  private void endDeletion(Own own) {
    own.epoch = book.holdForDeletion(own.usage.volume());
    book.endDeletion(own.usage.volume(), own.epoch);
    own.knowledge = Knowledge.FREE;
  }

  private void begin(Own own, ClaimHolder holder) {
    own.knowledge = Knowledge.USED;
    own.used = Optional.of(holder.mode());
    own.epoch = holder.epoch();
    history.uses(own.usage, holder.mode(), holder.epoch());
  }

  private void leave(Own own) {
    if (own.used.isPresent()) {
      own.used = Optional.empty();
      history.leaves(own.usage);
    }
  }

  private void use(Own own) {
    int dice = random.nextInt(10);
    if (dice < 2 && own.used.equals(Optional.of(ClaimMode.READ))) {
      upgrade(own);
    } else if (dice < 5) {
      if (!book.isCurrent(own.usage, own.epoch)) {
        history.wrong(own.usage + " has lost its claim of epoch " + own.epoch);
      }
    } else {
      leave(own);
      own.knowledge = Knowledge.RETURNING;
      giveBack(own);
    }
  }

  private void upgrade(Own own) {
    try {
      begin(own, book.change(own.usage, ClaimMode.WRITE));
    } catch (ClaimException e) {
      if (e.outcome() == ChangeOutcome.REFUSED && e.code() != OperatorCode.CLAIM_HELD_BY) {
        history.wrong(e.getMessage());
      }
      if (e.code() != OperatorCode.CLAIM_HELD_BY) {
        throw e;
      }
    }
  }

  /** All the way, or until the store is of no help. */
  private void giveBack(Own own) {
    if (own.isDeletion()) {
      endDeletion(own);
      return;
    }
    for (ClaimHolder.State state : ClaimHolder.State.values()) {
      if (state != ClaimHolder.State.TAKEN && book.advance(own.usage, state).isEmpty()) {
        break;
      }
    }
    book.forget(own.usage);
    own.knowledge = Knowledge.FREE;
  }
}
