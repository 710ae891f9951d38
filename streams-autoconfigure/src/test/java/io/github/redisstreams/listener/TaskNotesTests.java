package io.github.redisstreams.listener;

import java.util.List;
import java.util.concurrent.RejectedExecutionException;

import io.github.redisstreams.redis.TaskAttempt;
import io.github.redisstreams.redis.TaskState;
import org.junit.jupiter.api.Test;

import static io.github.redisstreams.listener.SettlingFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;

class TaskNotesTests {

	private final SettlingFixture fixture = new SettlingFixture();

	private final RecordingTasks tasks = this.fixture.commands.tasks;

	@Test
	void notesAllTasksOfABatchInOneCommand() {
		this.fixture.notes
			.running(List.of(this.fixture.task(1, 1, "a"), this.fixture.handled(2), this.fixture.task(3, 2, "*")));
		assertThat(this.tasks.notes).singleElement().satisfies((note) -> {
			assertThat(note.consumer()).isEqualTo(this.fixture.options.streamConsumer());
			assertThat(note.tasks()).containsExactly(new TaskAttempt(id(1), "a", TaskState.RUNNING, 1, ""),
					new TaskAttempt(id(3), "1-3", TaskState.RUNNING, 2, ""));
		});
	}

	@Test
	void sendsNothingForEntriesThatAreNoTasks() {
		this.fixture.notes.running(List.of(this.fixture.handled(1), this.fixture.handled(2)));
		this.fixture.notes.queuedAgain(this.fixture.handled(3));
		assertThat(this.tasks.notes).isEmpty();
	}

	@Test
	void notesWhyATaskIsQueuedAgain() {
		Delivery delivery = this.fixture.task(1, 2, "a");
		delivery.failedWith(new IllegalStateException("no stock"));
		this.fixture.notes.queuedAgain(delivery);
		assertThat(this.tasks.notes).singleElement()
			.satisfies((note) -> assertThat(note.tasks()).containsExactly(
					new TaskAttempt(id(1), "a", TaskState.QUEUED, 2, "java.lang.IllegalStateException: no stock")));
	}

	@Test
	void sendsOnTheTimersThread() {
		this.fixture.timer.deferring = true;
		this.fixture.notes.running(List.of(this.fixture.task(1, 1, "a")));
		assertThat(this.tasks.notes).isEmpty();
		this.fixture.timer.runDeferred();
		assertThat(this.tasks.notes).hasSize(1);
	}

	@Test
	void nothingSuffersWhereItIsRefused() {
		Delivery delivery = this.fixture.task(1, 1, "a");
		this.fixture.notes.running(List.of(delivery));
		this.tasks.notes.get(0).refuse();
		doThrow(new RejectedExecutionException()).when(this.fixture.timer.mock).execute(any());
		this.fixture.notes.queuedAgain(delivery);
		assertThat(this.tasks.notes).hasSize(1);
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(1);
	}

}
