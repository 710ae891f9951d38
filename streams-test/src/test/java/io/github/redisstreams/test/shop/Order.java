package io.github.redisstreams.test.shop;

import jakarta.validation.constraints.NotBlank;

public record Order(@NotBlank String customer, int quantity) {

}
